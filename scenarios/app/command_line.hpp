#pragma once
// The words after `windtunnel`, read and checked.

#include <optional>
#include <string>
#include <vector>

#include "scenarios/app/run_each.hpp"
#include "scenarios/reader/scenario.hpp"

namespace scenarios {

struct Command {
  enum class Name { run, sweep, verify, report, check, list, make_new, explain, schema } name = Name::run;
  std::vector<std::string> words;  // scenarios, results, a kind, a key: what stands without a dash
  Overrides overrides;
  RunOptions options;
  std::optional<std::string> out;  // --out, or -o of report
};

// Nothing to run: help or version was asked for, or the words are wrong; `text` says so.
struct Answer {
  int exit_code = 0;
  std::string text;
};

struct Parsed {
  std::optional<Command> command;
  Answer answer;
};
Parsed parsed(int count, const char* const* words);

}  // namespace scenarios
