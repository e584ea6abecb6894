#pragma once
// Runs as JSON and back, losslessly: result.json (schema 1), and one run as text for the pipe between processes.

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/result/run.hpp"

namespace analysis {

// result.json: keys in a fixed order, numbers in their shortest round-trip form, null for what did not happen (and for
// NaN and infinities). No spans.
void write_json(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs, std::ostream& out);

// One run with everything it holds, spans too. Reading anything else than what run_to_text wrote throws models::Error.
std::string run_to_text(const sim::Run& run);
sim::Run run_from_text(std::string_view text);

struct Loaded {
  sim::ScenarioInfo scenario;
  std::vector<sim::Run> runs;
};
// `file` is for messages. models::Error with line and column for what is not JSON, with the path of the value for what
// is not a result.
Loaded read_result(std::string_view json, const std::string& file);

}  // namespace analysis
