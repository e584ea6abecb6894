#pragma once
// `variants:`, and which of them and of the sweep's points the command line chooses.

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/reader/overrides.hpp"
#include "scenarios/reader/sweep.hpp"

namespace scenarios {

struct Variant {
  std::string name;
  std::vector<Override> changes;
};

// One without a name when the scenario has none. `only`: --only; an unknown name throws models::Error.
std::vector<Variant> read_variants(const models::Node& root, const std::vector<std::string>& only,
                                   models::Diagnostics& diagnostics);
// --point: the sweep points whose swept keys have these values; models::Error when none has.
std::vector<SweepPoint> selected(std::vector<SweepPoint> points, const std::vector<Override>& wanted);
// A variant and a sweep change the cluster, the job and what is expected, nothing else.
void refuse_header_keys(const std::vector<Override>& changes, std::string_view who, models::Diagnostics& diagnostics);

}  // namespace scenarios
