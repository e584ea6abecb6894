#include "models/base/error.hpp"

#include <catch2/catch.hpp>

using models::Diagnostic;
using models::Place;

TEST_CASE("an error shows its line with a caret and a hint", "[base]") {
  const Diagnostic diagnostic{Place{"gpt2.yaml", 14, 15, "  compressor: topk"}, "compressor 'topk' is not known",
                              "did you mean 'top_k'? known: identity, top_k"};
  CHECK(models::rendered(diagnostic) ==
        "gpt2.yaml:14:15: error: compressor 'topk' is not known\n"
        "  14 |   compressor: topk\n"
        "     |               ^\n"
        "  hint: did you mean 'top_k'? known: identity, top_k\n");
}

TEST_CASE("an error without a position names its origin only", "[base]") {
  CHECK(models::rendered({Place{"--set a=b", 0, 0, {}}, "'b' is not a number", {}}) ==
        "--set a=b: error: 'b' is not a number\n");
  CHECK(models::rendered({Place{}, "nothing to run", {}}) == "error: nothing to run\n");
}

TEST_CASE("the caret counts characters, not bytes, and long lines are cut around it", "[base]") {
  CHECK(models::rendered({Place{"a", 1, 9, "f: 5 \xC2\xB5s x"}, "m", {}}) ==
        "a:1:9: error: m\n  1 | f: 5 \xC2\xB5s x\n    |         ^\n");
  std::string line(1001, 'a');
  line[500] = 'X';
  const std::string text = models::rendered({Place{"a", 1, 501, line}, "m", {}});
  const std::size_t first = text.find('\n') + 1, second = text.find('\n', first) + 1;
  const std::string shown = text.substr(first, second - first), caret = text.substr(second);
  CHECK(shown.size() < 150);
  CHECK(shown.at(caret.find('^')) == 'X');
}

TEST_CASE("what a terminal would obey or could not read is escaped, and the caret moves along", "[base]") {
  const std::string line = "a\x1b[2J\xff \xC3\xA9 \xC2\x9B \xED\xA0\x80 bad";
  CHECK(models::rendered({Place{"f", 1, 16, line}, "'\x1b[31m\xfe' is odd", "\a"}) ==
        "f:1:16: error: '\\x1b[31m\\xfe' is odd\n"
        "  1 | a\\x1b[2J\\xff \xC3\xA9 \\x9b \\xed\\xa0\\x80 bad\n"
        "    |                                  ^\n"
        "  hint: \\x07\n");
}

TEST_CASE("several errors are shown one after another", "[base]") {
  const models::Error error({{Place{"f", 1, 1, {}}, "one", {}}, {Place{"f", 2, 1, {}}, "two", {}}});
  CHECK(std::string(error.what()) == "f:1:1: error: one\nf:2:1: error: two");
  CHECK(error.diagnostics().size() == 2);
}

TEST_CASE("the nearest names come first, far ones not at all", "[base]") {
  const std::vector<std::string> known{"identity", "top_k", "one_bit", "qsgd"};
  CHECK(models::nearest("topk", known) == std::vector<std::string>{"top_k"});
  CHECK(models::nearest("Top-K", known) == std::vector<std::string>{"top_k"});
  CHECK(models::nearest("qsdg", known) == std::vector<std::string>{"qsgd"});
  CHECK(models::nearest("something_else", known).empty());
  CHECK(models::nearest("", known).empty());
  CHECK(models::nearest("ab", {"cd", "ac"}).empty());
  CHECK(models::nearest("step", {"stop", "steps", "setp"}, 2) == std::vector<std::string>{"stop", "steps"});
}

TEST_CASE("a broken invariant is a bug", "[base]") { CHECK_THROWS_AS(models::ensure(false, "x"), models::Bug); }
