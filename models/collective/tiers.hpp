#pragma once
// Levels of a hierarchy (nodes, pods, all), each a set of rings side by side.

#include <cstdint>
#include <vector>

#include "models/collective/strands.hpp"

namespace models {

// Reduces `range`: after the reduce-scatter member l < lanes has part l of `lanes`; the members behind only help.
struct TierRing {
  std::vector<int> members;
  ElementRange range;
  std::int64_t lanes = 1;
  ElementRange lane(std::int64_t l) const;  // empty from `lanes` on
};
using Tier = std::vector<TierRing>;  // no member is in two

// What stands for a node or a pod one level up: who has which range of its sum.
struct Lane {
  int member = 0;
  ElementRange range;
};
using Unit = std::vector<Lane>;

// Unites the units of each set: one ring per lane over all units of a set; as many lanes come out of each as the
// smallest set has units, so that sets of unequal size fit together one level up. `united`: one unit a set.
Tier tier_over(const std::vector<std::vector<Unit>>& sets, std::vector<Unit>& united);

// All-reduce through `tiers`, the innermost first: reduce-scatter inwards out, all-gather back. `shape` tells
// hierarchies of one group apart.
Schedule all_reduce_through(const std::vector<Tier>& tiers, std::int64_t shape);

}  // namespace models
