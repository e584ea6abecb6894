#include "models/base/params.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>

using namespace models::literals;
using models::Declaration;
using models::Diagnostics;
using models::Entry;
using models::Node;
using models::NodeKind;
using models::Params;

namespace {

Node scalar(std::string text) {
  Node node;
  node.kind = NodeKind::scalar;
  node.text = std::move(text);
  return node;
}
Node mapping(std::vector<std::pair<std::string, Node>> entries) {
  Node node;
  node.kind = NodeKind::mapping;
  int line = 0;
  for (auto& [key, value] : entries) {
    Entry entry;
    entry.key = key;
    entry.place = {"file", ++line, 1, {}};
    value.place = {"file", line, 10, {}};
    entry.value = std::move(value);
    node.entries.push_back(std::move(entry));
  }
  return node;
}
Node sequence(std::vector<Node> items) {
  Node node;
  node.kind = NodeKind::sequence;
  node.items = std::move(items);
  return node;
}

class OnePreset final : public models::Presets {
 public:
  OnePreset() : link_(mapping({{"bandwidth", scalar("10 Gb/s")}, {"latency", scalar("25 us")}})) {}
  const Node* find(std::string_view kind, std::string_view name) const override {
    return kind == "link" && name == "ethernet" ? &link_ : nullptr;
  }
  std::vector<std::string> names(std::string_view kind) const override {
    return kind == "link" ? std::vector<std::string>{"ethernet"} : std::vector<std::string>{};
  }

 private:
  Node link_;
};
const OnePreset presets;

std::string messages(const Diagnostics& diagnostics) {
  std::string all;
  for (const models::Diagnostic& one : diagnostics.all())
    all += one.message + (one.hint.empty() ? "" : " | " + one.hint) + "\n";
  return all;
}

// One reading of one mapping.
struct Reading {
  Node node;
  Diagnostics diagnostics;
  Params params;
  explicit Reading(Node root) : node(std::move(root)), params(node, "", diagnostics, presets) {}
  std::string text() const { return messages(diagnostics); }
};

struct Shape {
  std::int64_t sides = 0;
  std::string name;
};
Shape read_polygon(Params& params) { return {params.count("sides", {3.0, 100.0}, "corners"), "polygon"}; }
Shape read_circle(Params&) { return {0, "circle"}; }
constexpr models::Row<Shape> shape_rows[] = {{"polygon", "straight sides (Euclid)", read_polygon},
                                             {"circle", "no sides (Euclid)", read_circle}};
const models::Table<Shape> shapes("shape", shape_rows);

}  // namespace

TEST_CASE("getters read what was written, and fall back", "[params]") {
  Reading r(mapping({{"a", scalar("2.5")},
                     {"b", scalar("2 %")},
                     {"c", scalar("64 samples")},
                     {"d", scalar("25 MiB")},
                     {"e", scalar("5 us")},
                     {"f", scalar("10 Gb/s")},
                     {"g", scalar("off")},
                     {"h", scalar("x y")},
                     {"i", sequence({scalar("1"), scalar("2")})}}));
  CHECK(r.params.number("a", {}, "") == 2.5);
  CHECK(r.params.fraction("b", {0.0, 1.0}, "") == 0.02);
  CHECK(r.params.count("c", {}, "") == 64);
  CHECK(r.params.bytes("d", {}, "") == 25_MiB);
  CHECK(r.params.seconds("e", {}, "").value == 5e-6);
  CHECK(r.params.bandwidth("f", {}, "") == 10_Gbps);
  CHECK_FALSE(r.params.flag("g", ""));
  CHECK(r.params.text("h", "") == "x y");
  CHECK(r.params.numbers("i", {}, "") == std::vector<double>{1.0, 2.0});
  CHECK(r.params.count("absent", {}, "", 7) == 7);
  CHECK(r.params.bytes("absent_too", {}, "", 1_MB) == 1_MB);
  r.params.finish();
  CHECK(r.text().empty());
}

TEST_CASE("ranges name both ends, open or closed", "[params]") {
  using Ends = models::Range::Ends;
  const auto complaint = [](const std::string& text, models::Range range) {
    Reading r(mapping({{"x", scalar(text)}}));
    r.params.number("x", range, "");
    return r.text();
  };
  CHECK(complaint("1", {0.0, 1.0}).empty());
  CHECK(complaint("2", {0.0, 1.0}) == "'x' is 2, but must be at least 0 and at most 1\n");
  CHECK(complaint("0", {0.0, 1.0, Ends::open_low}) == "'x' is 0, but must be above 0 and at most 1\n");
  CHECK(complaint("1", {0.0, 1.0, Ends::open_high}) == "'x' is 1, but must be at least 0 and below 1\n");
  CHECK(complaint("0", models::positive) == "'x' is 0, but must be above 0\n");
}

TEST_CASE("after an error a getter gives a legal value", "[params]") {
  Reading r(mapping({{"x", scalar("nonsense")}}));
  CHECK(r.params.number("x", models::positive, "") > 0.0);
  CHECK(r.params.count("y", {3.0, 9.0}, "") == 3);
  CHECK(r.params.fraction("z", {0.0, 1.0, models::Range::Ends::open}, "") == 0.5);
  CHECK(r.diagnostics.all().size() == 3);
}

TEST_CASE("a bare number where a unit belongs is an error that shows one", "[params]") {
  Reading r(mapping({{"bucket", scalar("25")}, {"latency", scalar("25 MB")}}));
  r.params.bytes("bucket", {}, "");
  r.params.seconds("latency", {}, "");
  CHECK(r.text() ==
        "'25' has no unit | 'bucket' is an amount of bytes, such as 25 MB, 25 MiB\n"
        "'25 MB' is not a time | 'latency' is a time, such as 25 us, 1.5 ms, 2 s\n");
}

TEST_CASE("keys nobody read are errors with the nearest known one", "[params]") {
  Reading r(mapping({{"steps", scalar("3")}, {"bukcet", scalar("1 MB")}, {"inner", mapping({{"x", scalar("1")}})}}));
  r.params.count("steps", {}, "");
  r.params.bytes("bucket", {}, "", 1_MB);
  r.params.section("inner", "");
  r.params.finish();
  CHECK(r.text() ==
        "key 'x' is not known in 'inner' | nothing is known here\n"
        "key 'bukcet' is not known | did you mean 'bucket'? known: steps, bucket, inner\n");
}

TEST_CASE("a missing section is reported once, at its outermost", "[params]") {
  Reading r(mapping({{"name", scalar("x")}}));
  r.params.text("name", "");
  Params outer = r.params.section("outer", "all of it");
  Params inner = outer.section("inner", "some of it");
  inner.count("a", {}, "first");
  inner.count("b", {}, "second");
  outer.count("c", {}, "third");
  r.params.finish();
  CHECK(r.text() == "'outer' is missing | 'outer' needs at least 'inner.a': first\n");
}

TEST_CASE("a preset stands by name, inline, or with entries laid over it", "[params]") {
  const auto read = [](Node link) {
    Reading r(mapping({{"link", std::move(link)}}));
    Params params = r.params.preset("link", "link", "");
    const auto bandwidth = params.bandwidth("bandwidth", {}, "");
    const auto latency = params.seconds("latency", {}, "");
    r.params.finish();
    return std::make_tuple(bandwidth.value, latency.value, params.preset_name(), r.text());
  };
  CHECK(read(scalar("ethernet")) == std::make_tuple(1.25e9, 25e-6, std::string("ethernet"), std::string()));
  CHECK(read(mapping({{"preset", scalar("ethernet")}, {"latency", scalar("1 us")}})) ==
        std::make_tuple(1.25e9, 1e-6, std::string("ethernet"), std::string()));
  CHECK(read(mapping({{"bandwidth", scalar("1 GB/s")}, {"latency", scalar("1 us")}})) ==
        std::make_tuple(1e9, 1e-6, std::string(), std::string()));
  CHECK(std::get<3>(read(scalar("ethernt"))) ==
        "link 'ethernt' is not known | did you mean 'ethernet'? known: ethernet\n");
  CHECK(std::get<3>(read(mapping({{"preset", scalar("ethernet")}, {"lag", scalar("1 us")}}))) ==
        "key 'lag' is not known in 'link' | known: bandwidth, latency\n");
}

TEST_CASE("a plug-in stands by name or as a mapping with its keys", "[params]") {
  const auto read = [](Node shape) {
    Reading r(mapping({{"shape", std::move(shape)}}));
    const Shape read_shape = r.params.plugin("shape", shapes, "");
    r.params.finish();
    return std::make_pair(read_shape.name + std::to_string(read_shape.sides), r.text());
  };
  CHECK(read(scalar("circle")) == std::make_pair(std::string("circle0"), std::string()));
  CHECK(read(mapping({{"name", scalar("polygon")}, {"sides", scalar("5")}})) ==
        std::make_pair(std::string("polygon5"), std::string()));
  CHECK(read(mapping({{"name", scalar("circle")}, {"sides", scalar("5")}})).second ==
        "key 'sides' is not known in 'shape' | known: name\n");
  CHECK(read(scalar("cirle")).second == "shape 'cirle' is not known | did you mean 'circle'? known: polygon, circle\n");
  CHECK(read(mapping({{"sides", scalar("5")}})).second == "'shape' has no 'name' | known: polygon, circle\n");
}

TEST_CASE("a plug-in's keys may stand beside its name", "[params]") {
  Reading r(mapping({{"shape", scalar("polygon")}, {"sides", scalar("4")}, {"colour", scalar("red")}}));
  CHECK(r.params.plugin_beside("shape", shapes, "").sides == 4);
  r.params.finish();
  CHECK(r.text() == "key 'colour' is not known | known: shape, sides\n");
}

TEST_CASE("describing mode declares every key, with the rows of plug-ins", "[params]") {
  std::vector<Declaration> all;
  Params top("job", all, presets);
  top.bytes("bucket", models::positive, "size of a bucket", 25_MiB);
  if (top.has("limit")) top.seconds("limit", {}, "when to stop");
  top.plugin("shape", shapes, "what it looks like");
  for (Params& row : top.list("rows", "several")) row.text("source", "from where");
  top.preset("link", "link", "how it is joined");
  std::map<std::string, Declaration> by_path;
  for (const Declaration& one : all) by_path[one.path] = one;
  CHECK(by_path.at("job.bucket").default_text == "25 MiB");
  CHECK(by_path.at("job.bucket").range == "above 0 B");
  CHECK_FALSE(by_path.at("job.limit").required);
  CHECK(by_path.at("job.shape").choices == std::vector<std::string>{"polygon", "circle"});
  CHECK(by_path.at("job.shape").required);
  CHECK(by_path.at("job.shape{polygon}.sides").help == "corners");
  CHECK(by_path.at("job.shape{circle}").help == "no sides (Euclid)");
  CHECK(by_path.at("job.rows[].source").required);
  CHECK(by_path.at("job.link").choices == std::vector<std::string>{"ethernet"});
}

TEST_CASE("errors come out sorted by place, each once", "[params]") {
  Diagnostics diagnostics;
  diagnostics.add({{"f", 9, 1, {}}, "late", {}});
  diagnostics.add({{"f", 2, 5, {}}, "early", {}});
  diagnostics.add({{"f", 9, 1, {}}, "other", {}});
  diagnostics.add({{"f", 9, 1, {}}, "late", {}});
  try {
    diagnostics.throw_if_any();
    FAIL("no error");
  } catch (const models::Error& error) {
    REQUIRE(error.diagnostics().size() == 3);
    CHECK(error.diagnostics()[0].message == "early");
    CHECK(error.diagnostics()[2].message == "other");
  }
}
