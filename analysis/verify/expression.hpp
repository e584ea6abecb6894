#pragma once
// What a published row speaks of, evaluated on the runs. The language, one line:
//   EXPRESSION = RATIO { ('>' | '<') RATIO }        throughput_samples_per_s@onebit_adam >
//   throughput_samples_per_s@adam RATIO      = TERM { '/' TERM }                  step_time_s@adam /
//   step_time_s@onebit_adam TERM       = NUMBER | METRIC [ '@' VARIANT ] [ '[' KEY=VALUE { ';' KEY=VALUE } ']' ]
//   step_time_s@adam[training.batch.micro=16; nodes=4]
// Without '@' or without a KEY the row's own `at` decides. A KEY is a swept key or a tail of its path; a VALUE equals
// the swept text, or the same amount written otherwise (10 Gb/s = 1.25 GB/s). With KEY size, METRIC is a column of a
// collective job's size table.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/result/run.hpp"

namespace analysis {

struct Value {
  std::optional<double> predicted, naive;
  std::string problem;  // why there is no prediction; else empty
};

class Expression {
 public:
  // models::Error at the reference's place when the text is not an expression.
  static Expression read(const std::string& text, const sim::Reference& reference);

  // One ratio: its value.
  Value value(std::span<const sim::Run> runs) const;
  // Several: does every comparison hold, with the larger side at least (1 + margin) times the smaller? predicted and
  // naive are 1 or 0.
  Value holds(std::span<const sim::Run> runs, double margin) const;
  bool is_comparison() const { return ratios_.size() > 1; }

 private:
  struct Term {
    std::optional<double> constant;
    std::string metric, variant;
    std::vector<std::pair<std::string, std::string>> at;
  };
  static Term read_term(const std::string& text, const sim::Reference& reference);
  static Value evaluate(const Term& term, std::span<const sim::Run> runs);
  static Value evaluate(const std::vector<Term>& ratio, std::span<const sim::Run> runs);

  std::vector<std::vector<Term>> ratios_;
  std::string signs_;  // between the ratios
};

// Does the point have all these values? Keys may be tails of their paths.
bool at_point(const std::vector<sim::PointValue>& point, const std::vector<std::pair<std::string, std::string>>& at);
// Is it the same text, or the same amount in other words?
bool same_amount(const std::string& a, const std::string& b);

}  // namespace analysis
