#include "scenarios/reader/sweep.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "scenarios/reader/yaml.hpp"

using scenarios::Override;

namespace {

// Points as text: "a=1 b=2; a=1 b=3".
std::string points(const std::string& sweep, const std::vector<std::string>& set = {}) {
  const models::Node node = scenarios::parse_yaml(sweep, "f");
  std::vector<Override> fixed;
  for (const std::string& one : set) fixed.push_back(scenarios::parse_assignment("--set", one));
  models::Diagnostics diagnostics;
  std::string text;
  for (const scenarios::SweepPoint& point : scenarios::sweep_points(&node, fixed, diagnostics)) {
    std::string one;
    for (const sim::PointValue& value : point.at) one += (one.empty() ? "" : " ") + value.key + "=" + value.text;
    text += (text.empty() ? "" : "; ") + one;
  }
  return diagnostics.empty() ? text : diagnostics.all().front().message;
}

sim::PointValue value(const std::string& text) { return scenarios::point_value("k", scenarios::parse_yaml(text, "f")); }

}  // namespace

TEST_CASE("a grid holds every combination, the last key fastest", "[sweep]") {
  CHECK(points("{a: [1, 2], b.c: [x, y]}") == "a=1 b.c=x; a=1 b.c=y; a=2 b.c=x; a=2 b.c=y");
}

TEST_CASE("paired points change together", "[sweep]") {
  CHECK(points("[{a: 1, b: 2}, {a: 3, b: 4}]") == "a=1 b=2; a=3 b=4");
}

TEST_CASE("a swept value may be a mapping", "[sweep]") {
  CHECK(points("{a: [{name: x, k: 1}, y]}") == "a={name: x, k: 1}; a=y");
}

TEST_CASE("ranges are linear or logarithmic, ends included, with the ends' unit", "[sweep]") {
  CHECK(points("{a: {from: 0, to: 1, steps: 5}}") == "a=0; a=0.25; a=0.5; a=0.75; a=1");
  CHECK(points("{a: {from: 4, to: 64, steps: 5, scale: log}}") == "a=4; a=8; a=16; a=32; a=64");
  CHECK(points("{a: {from: 1 Gb/s, to: 100 Gb/s, steps: 3, scale: log}}") == "a=1 Gb/s; a=10 Gb/s; a=100 Gb/s");
  CHECK(points("{a: {from: 1 Gb/s, to: 10 Gb/s, steps: 3, scale: log}}") == "a=1 Gb/s; a=3.16228 Gb/s; a=10 Gb/s");
  CHECK(points("{a: {from: 1e-3, to: 1e-1, steps: 3, scale: log}}") == "a=0.001; a=0.01; a=0.1");
  CHECK(points("{a: {from: 10 %, to: 30 %, steps: 3}}") == "a=10 %; a=20 %; a=30 %");
}

TEST_CASE("the option --set takes a key and what lies below it out of the sweep", "[sweep]") {
  CHECK(points("{a: [1, 2], b: [3, 4]}", {"a=9"}) == "b=3; b=4");
  CHECK(points("{a.x: [1, 2], b: [3, 4]}", {"a={x: 9}"}) == "b=3; b=4");
  CHECK(points("{a: [1, 2]}", {"a.x=9"}) == "a=1; a=2");
  CHECK(points("[{a: 1, b: 2}, {a: 1, b: 4}]", {"b=9"}) == "a=1");
}

TEST_CASE("a point's amounts are numbers with a unit, names are text", "[sweep]") {
  CHECK(value("10 Gb/s").value == 1.25e9);
  CHECK(value("10 Gb/s").unit == "B/s");
  CHECK(value("25 us").unit == "s");
  CHECK(value("2 %").value == 0.02);
  CHECK(value("16").value == 16.0);
  CHECK(value("bert_large").unit.empty());
  CHECK(value("bert_large").text == "bert_large");
}
