#pragma once
// Run: one point of a scenario (variant x sweep point x seed) with its result.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/result/result.hpp"

namespace sim {

struct PointValue {
  std::string key, text;
  double value = 0.0;
  std::string unit;
};  // text only (a name): unit "" and value 0, is_number false
struct Run {
  std::string variant;
  std::vector<PointValue> point;
  std::uint64_t seed = 1;
  Result result;
};

// Published numbers of a scenario, `reference:`.
struct Reference {
  std::string metric;
  std::string variant;                                  // empty: any
  std::vector<std::pair<std::string, std::string>> at;  // key -> text, beside the variant
  std::optional<double> value;
  std::string value_text;
  std::optional<double> tolerance;  // relative; absent or 0: printed beside the published value, never judged
  enum class Kind { value, ratio, order, shape } kind = Kind::value;
  enum class Role { predicted, fitted, input } role = Role::predicted;
  enum class Certainty { read, chart, recalled, inferred } certainty = Certainty::read;
  std::string expect;  // order: "a > b", sides METRIC@VARIANT[KEY=VALUE] or METRIC@VARIANT
  double margin = 0.0;
  std::string source;
  std::string place;  // file:line
};

// What every report needs besides the runs.
struct ScenarioInfo {
  std::string name, file, sha256, description, source;
  std::uint64_t seed = 1;
  std::vector<Reference> references;
};

}  // namespace sim
