#include "models/collective/tiers.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "models/collective/islands.hpp"

namespace models {

ElementRange TierRing::lane(std::int64_t l) const {
  return l < lanes ? part_of(range, lanes, l) : ElementRange{range.begin + range.count, 0};
}

Tier tier_over(const std::vector<std::vector<Unit>>& sets, std::vector<Unit>& united) {
  std::size_t fewest = sets.front().size();
  for (const auto& set : sets) fewest = std::min(fewest, set.size());
  Tier tier;
  united.clear();
  for (const auto& set : sets) {
    Unit whole;
    for (std::size_t l = 0; l < set.front().size(); ++l) {
      TierRing ring{{}, set.front()[l].range, static_cast<std::int64_t>(fewest)};
      for (const Unit& unit : set) ring.members.push_back(unit[l].member);
      for (std::size_t m = 0; m < fewest; ++m)
        whole.push_back({ring.members[m], ring.lane(static_cast<std::int64_t>(m))});
      tier.push_back(std::move(ring));
    }
    united.push_back(std::move(whole));
  }
  return tier;
}

namespace {

// `lag` 1: reduce-scatter, 0: all-gather. Rings of one length make one strand.
void add_tier(const std::shared_ptr<const Tier>& tier, std::int64_t level, std::int64_t shape, std::int64_t lag,
              Combine combine, Schedule& phases) {
  std::map<std::size_t, std::vector<std::size_t>> by_length;
  for (std::size_t r = 0; r < tier->size(); ++r)
    if ((*tier)[r].members.size() > 1) by_length[(*tier)[r].members.size()].push_back(r);
  std::vector<Strand> strands;
  for (const auto& entry : by_length) {
    const auto length = static_cast<std::int64_t>(entry.first);
    strands.push_back(
        {0,
         length - 1,
         [tier, which = entry.second, length, lag, combine](std::int64_t round, std::vector<Transfer>& out) {
           for (const std::size_t r : which) {
             const TierRing& ring = (*tier)[r];
             for (std::int64_t i = 0; i < length; ++i)
               out.push_back({ring.members[static_cast<std::size_t>(i)],
                              ring.members[static_cast<std::size_t>((i + 1) % length)],
                              ring.lane(wrapped(i - round - lag, length)), combine});
           }
         },
         {},
         0});
  }
  for (Phase& phase : side_by_side(std::move(strands), PatternFamily::tiers, {level, shape}))
    phases.push_back(std::move(phase));
}

}  // namespace

Schedule all_reduce_through(const std::vector<Tier>& tiers, std::int64_t shape) {
  std::vector<std::shared_ptr<const Tier>> shared;
  for (const Tier& tier : tiers) shared.push_back(std::make_shared<const Tier>(tier));
  Schedule phases;
  for (std::size_t level = 0; level < shared.size(); ++level)
    add_tier(shared[level], static_cast<std::int64_t>(level), shape, 1, Combine::add, phases);
  for (std::size_t level = shared.size(); level-- > 0;)
    add_tier(shared[level], static_cast<std::int64_t>(level), shape, 0, Combine::copy, phases);
  return phases;
}

}  // namespace models
