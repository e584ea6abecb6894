#include "scenarios/reader/overrides.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "scenarios/reader/yaml.hpp"

using scenarios::apply;
using scenarios::flow_text;
using scenarios::parse_assignment;
using scenarios::parse_yaml;

namespace {

// `text` after KEY=VALUE, or the message.
std::string after(const std::string& text, const std::string& assignment) {
  models::Node root = parse_yaml(text, "f");
  models::Diagnostics diagnostics;
  apply(root, parse_assignment("--set", assignment), diagnostics);
  return diagnostics.empty() ? flow_text(root) : diagnostics.all().front().message;
}

}  // namespace

TEST_CASE("an override replaces the whole value at its path", "[overrides]") {
  CHECK(after("a: {b: {name: x, c: 1}}", "a.b={name: y}") == "{a: {b: {name: y}}}");
  CHECK(after("a: {b: 1, c: 2}", "a.b=3") == "{a: {b: 3, c: 2}}");
  CHECK(after("a: 1", "b=[1, 2]") == "{a: 1, b: [1, 2]}");
}

TEST_CASE("missing parents are made", "[overrides]") {
  CHECK(after("a: 1", "b.c.d=2") == "{a: 1, b: {c: {d: 2}}}");
  CHECK(after("a:", "a.b=2") == "{a: {b: 2}}");
}

TEST_CASE("list items go by index", "[overrides]") {
  CHECK(after("a: [1, 2, 3]", "a.1=9") == "{a: [1, 9, 3]}");
  CHECK(after("a: [{b: 1}]", "a.0.b=9") == "{a: [{b: 9}]}");
  CHECK(after("a: [1, 2]", "a.2=9") == "'a.2' cannot be set: 'a' is a list of 2");
  CHECK(after("a: [1, 2]", "a.first=9") == "'a.first' cannot be set: 'a' is a list of 2");
  CHECK(after("a: []", "a.0=9") == "'a.0' cannot be set: 'a' is a list of 0");
}

TEST_CASE("a plain value has nothing inside", "[overrides]") {
  CHECK(after("training: {steps: 1}", "training.steps.x=9") ==
        "'training.steps.x' cannot be set: 'training.steps' is the single value '1'");
}

TEST_CASE("a name becomes the mapping that a deeper path needs", "[overrides]") {
  CHECK(after("training: {algorithm: adam}", "training.algorithm.learning_rate=0.1") ==
        "{training: {algorithm: {name: adam, learning_rate: 0.1}}}");
  CHECK(after("training: {model: bert_base}", "training.model.num_layers=2") ==
        "{training: {model: {preset: bert_base, num_layers: 2}}}");
  CHECK(after("cluster: {gpu: t4_16gb}", "cluster.gpu.memory=1 GiB") ==
        "{cluster: {gpu: {preset: t4_16gb, memory: 1 GiB}}}");
}

TEST_CASE("the place of an override is the place of its errors", "[overrides]") {
  models::Node root = parse_yaml("a: {b: 1}", "f");
  models::Diagnostics diagnostics;
  apply(root, parse_assignment("--set", "a.b=2"), diagnostics);
  apply(root, parse_assignment("--set", "c.d=2"), diagnostics);
  CHECK(root.entries[0].place.file == "f");
  CHECK(root.entries[0].value.entries[0].place.file == "--set a.b=2");
  CHECK(root.entries[1].place.file == "--set c.d=2");
}
