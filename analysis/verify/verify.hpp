#pragma once
// The rows of `reference:` against the runs: predicted beside published, fitted and input rows apart, the naive model
// in its own column.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics/format.hpp"
#include "sim/result/run.hpp"

namespace analysis {

enum class Verdict { within, off, printed_only, missing };  // missing: the runs give no value
inline constexpr const char* verdict_names[] = {"within", "OFF", "printed only", "no value"};

struct VerifyRow {
  sim::Reference reference;
  std::string what, where;  // metric or expression; variant and point
  std::optional<double> predicted, published, naive;
  std::optional<double> error, naive_error;  // relative, signed; nothing for order and shape
  Verdict verdict = Verdict::missing;
  bool naive_within = false;
  std::string problem;
  bool fails = false;  // a predicted, judged, not merely recalled row that is off or missing
};

struct Counts {
  std::size_t rows = 0, fitted = 0, input = 0, printed_only = 0, predicted = 0, within = 0, naive_within = 0,
              recalled_off = 0, failing = 0;
  Counts& operator+=(const Counts& other);
};
// "13 rows: 2 fitted, not counted; 11 predicted, 9 within; naive model 6 within"
std::string summary(const Counts& counts);

struct Verification {
  std::vector<VerifyRow> rows;  // in the order of the scenario
  Counts counts;
  bool fitted_too_many = false;  // fitted rows reach a third of all
  bool passed() const { return counts.failing == 0 && !fitted_too_many; }
};
// Repeats are taken by their mean. models::Error for an expression that cannot be read.
Verification verify(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs);

struct VerifyTable {
  std::string title;
  TextTable table;
  std::vector<std::string> problems;
};
std::vector<VerifyTable> verify_tables(const Verification& verification);
// The tables with the summary below: predicted rows first, then fitted, then inputs.
std::string verify_text(const sim::ScenarioInfo& scenario, const Verification& verification);

// A value in the unit its metric's name asks for: 2.28 s.
std::string amount_text(const std::string& metric, double value);

}  // namespace analysis
