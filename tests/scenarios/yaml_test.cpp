#include "scenarios/reader/yaml.hpp"

#include <catch2/catch.hpp>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

using models::Node;
using models::NodeKind;
using scenarios::parse_yaml;

namespace {

// The message of the error; the time it took must stay far from what a hostile file could cost.
std::string refusal(const std::string& text) {
  const std::clock_t start = std::clock();  // processor time: a busy machine does not fail the test
  std::string message = "accepted";
  try {
    parse_yaml(text, "f");
  } catch (const models::Error& error) {
    message = error.diagnostics().front().message;
  }
  CHECK(std::clock() - start < 2 * CLOCKS_PER_SEC);
  return message;
}

std::string repeated(const std::string& part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

}  // namespace

TEST_CASE("a document keeps order, places and quotes", "[yaml]") {
  const Node root = parse_yaml("b: 1\na:\n  - \"2\"\n  - {\xC2\xB5: x}\nn: ~\n", "f");
  REQUIRE(root.entries.size() == 3);
  CHECK(root.entries[0].key == "b");
  CHECK(root.entries[0].value.place == models::Place{"f", 1, 4, "b: 1"});
  CHECK(root.entries[1].value.items[0].quoted);
  CHECK_FALSE(root.entries[0].value.quoted);
  CHECK(root.entries[1].value.items[1].entries[0].value.place == models::Place{"f", 4, 9, "  - {\xC2\xB5: x}"});
  CHECK(root.entries[2].value.kind == NodeKind::null);
  CHECK(scenarios::flow_text(root) == "{b: 1, a: [\"2\", {\xC2\xB5: x}], n: ~}");
}

TEST_CASE("line ends of other systems change nothing", "[yaml]") {
  CHECK(scenarios::flow_text(parse_yaml("a: 1\r\nb:\r\n  c: 2\r\n", "f")) == "{a: 1, b: {c: 2}}");
}

TEST_CASE("an alias stands for a whole value", "[yaml]") {
  const Node root = parse_yaml("a: &x {k: 1}\nb: *x\nc: [*x, *x]\n", "f");
  CHECK(scenarios::flow_text(root) == "{a: {k: 1}, b: {k: 1}, c: [{k: 1}, {k: 1}]}");
}

TEST_CASE("a value of the command line has no position", "[yaml]") {
  const Node node = scenarios::parse_value("{a: [1, 2]}", "--set k={a: [1, 2]}");
  CHECK(node.entries[0].value.items[1].place == models::Place{"--set k={a: [1, 2]}", 0, 0, {}});
}

TEST_CASE("alias bombs are refused", "[yaml][hostile]") {
  CHECK(refusal("a: &a [" + repeated("x,", 1000) + "]\nb: [" + repeated("*a,", 1000) + "]\n") ==
        "the file holds more than 50000 values, aliases counted as what they stand for");
  std::string wide = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i)
    wide += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeated("*a" + std::to_string(i - 1) + ",", 2) + "]\n";
  CHECK(refusal(wide) == "aliases are nested more than 4 deep");
  std::string anchors = "a: " + repeated("&a [", 30);
  CHECK(refusal(anchors) != "accepted");
}

TEST_CASE("cycles are refused", "[yaml][hostile]") {
  CHECK(refusal("a: &x [*x]\n") == "this alias stands inside the value it refers to");
  CHECK(refusal("&x {a: {b: *x}}\n") == "this alias stands inside the value it refers to");
}

TEST_CASE("deep nesting is refused in every style", "[yaml][hostile]") {
  constexpr int depth = 100'000;
  CHECK(refusal("a: " + repeated("[", depth)) == "this line is longer than 64 KiB");
  CHECK(refusal("a: " + repeated("[\n", depth) + repeated("]\n", depth)) == "values are nested more than 32 deep");
  CHECK(refusal(repeated("{a: ", 10'000) + "1" + repeated("}", 10'000)) == "values are nested more than 32 deep");
  CHECK(refusal(repeated("{a: ", 10'000)) == "a bracket opens here that is never closed");
  CHECK(refusal(repeated("- ", 30'000)) == "values are nested more than 32 deep");
  CHECK(refusal(repeated("? ", 30'000)) != "accepted");
  std::string staircase;
  for (int i = 0; i < 1400; ++i) staircase += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK(refusal(staircase) == "values are nested more than 32 deep");
}

TEST_CASE("what is not text is refused", "[yaml][hostile]") {
  using namespace std::string_literals;
  CHECK(refusal("a: b\0c\n"s) == "byte 0x00 is not text");
  CHECK(refusal("\x7f"
                "ELF\x02\x01\x01\n") == "byte 0x7f is not text");
  CHECK(refusal("a: \xff\xfe\n") == "byte 0xff is not legal UTF-8");
  CHECK(refusal("a: \xc0\xaf\n") == "byte 0xc0 is not legal UTF-8");
  CHECK(refusal("a: \xed\xa0\x80\n") == "byte 0xed is not legal UTF-8");
  CHECK(refusal("a: \xe2\x82\n") == "byte 0xe2 is not legal UTF-8");
}

TEST_CASE("many values, long lines and huge files are refused", "[yaml][hostile]") {
  std::string keys;
  for (int i = 0; i < 90'000; ++i) keys += "a" + std::to_string(i) + ": 1\n";
  CHECK(refusal(keys) == "the file holds more than 50000 values, aliases counted as what they stand for");
  CHECK(refusal("a: [" + repeated("b,\n", 300'000) + "]\n") ==
        "the file holds more than 50000 values, aliases counted as what they stand for");
  CHECK(refusal("a: " + std::string(70'000, 'x')) == "this line is longer than 64 KiB");

  // A sparse file that claims 1 GB.
  const std::string path = BINARY_DIR "/huge_scenario.yaml";
  std::ofstream(path) << "a: 1\n";
  std::filesystem::resize_file(path, std::uintmax_t{1} << 30);
  const std::clock_t start = std::clock();
  CHECK_THROWS_WITH(scenarios::read_text(path), Catch::Contains("the file is larger than 1024 KiB"));
  CHECK(std::clock() - start < 2 * CLOCKS_PER_SEC);
  std::filesystem::remove(path);
}

TEST_CASE("files that cannot be read say why", "[yaml]") {
  CHECK_THROWS_WITH(scenarios::read_text("no_such_file.yaml"),
                    "no_such_file.yaml: error: cannot be read: No such file or directory");
  CHECK_THROWS_WITH(scenarios::read_text("/tmp"), "/tmp: error: this is a folder, not a scenario file");
}
