#pragma once
// `sweep:` -> points, each a list of overrides.

#include <vector>

#include "scenarios/reader/overrides.hpp"
#include "sim/result/run.hpp"

namespace scenarios {

struct SweepPoint {
  std::vector<Override> changes;
  std::vector<sim::PointValue> at;  // one per change
};

inline constexpr std::size_t most_points = 100'000;

// Grid (a mapping; the last key runs fastest) or paired points (a list of mappings). Keys at or below a path of `fixed`
// leave the sweep; points that become equal are kept once. Without a sweep: one point without changes.
std::vector<SweepPoint> sweep_points(const models::Node* sweep, const std::vector<Override>& fixed,
                                     models::Diagnostics& diagnostics);

// `10 Gb/s` -> {1.25e9, "B/s"}; a name or a mapping keeps its text only.
sim::PointValue point_value(const std::string& key, const models::Node& value);

}  // namespace scenarios
