#pragma once
// Text -> validated values. read() gives the scenario with all its points: variants x sweep x repeats, each a whole
// validated job.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/params.hpp"
#include "sim/program/job.hpp"
#include "sim/result/run.hpp"
#include "topologies/fabric/world.hpp"

namespace scenarios {

struct Point {
  std::string variant;              // "" when the scenario has no variants
  std::vector<sim::PointValue> at;  // swept keys
  std::uint64_t seed = 1;
  int repeats = 1;  // seeds the scenario runs of this point
  topologies::Cluster cluster;
  sim::Job job;
  sim::Status expected = sim::Status::completed;  // `expect: {status: diverged}`
  std::string
      numeric_key;  // equal keys have equal synchronous trajectories: the text of training:, the rank count, the seed
};

struct Scenario {
  sim::ScenarioInfo info;
  std::vector<std::string> outputs;  // names of analysis::reports()
  std::vector<Point> points;         // variant-major, then sweep order, then seed
};

struct Overrides {
  std::vector<std::string> set;   // KEY=VALUE
  std::vector<std::string> only;  // VARIANT
  std::vector<std::string> at;    // --point KEY=VALUE
  std::optional<std::uint64_t> seed;
};

// Told how many points there are before any of them is read; may throw.
using PointCount = std::function<void(const sim::ScenarioInfo&, std::size_t)>;
// Reads, applies file -> variant -> sweep point -> --set, validates every point; throws models::Error with all errors
// of the file.
Scenario read(const std::string& path, const Overrides& overrides, const PointCount& counted = {});

// The scenario language, from the same readers: for schema, explain and list.
const std::vector<models::Declaration>& declarations();  // described once
// Presets from the data folders, read lazily. The folder is found beside the program or named by WINDTUNNEL_HOME.
const models::Presets& presets();

}  // namespace scenarios
