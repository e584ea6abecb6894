#pragma once
// What switches, NICs and hosts carry in all, all their ports and both directions together: a backplane, a PCIe slot, a
// packet rate.

#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "topologies/fabric/fabric.hpp"

namespace models {
class Params;
}

namespace topologies {

struct Limit {
  std::string at;  // name of a switch or host; * stands for any text
  BytesPerSecond bandwidth{};
  models::Place place;
};

// Key limits.
std::vector<Limit> read_limits(models::Params& params);
// Equal text, equal limits.
std::string key_of(const std::vector<Limit>& limits);
// The first limit that names a vertex counts. Throws Error when one names none.
void apply(const std::vector<Limit>& limits, Fabric& fabric);

}  // namespace topologies
