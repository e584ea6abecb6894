#pragma once
// Numbers of the patterns: equal ids, equal (from, to) pairs for any two schedules of one group, whatever their sizes.

#include <cstdint>
#include <initializer_list>
#include <span>

#include "models/base/error.hpp"
#include "models/collective/collective.hpp"

namespace models {

enum class PatternFamily : std::uint64_t {
  ring = 1,
  backwards,
  shift,
  everyone,
  binomial_away,
  binomial_towards,
  from_root,
  to_root,
  pairs,
  pairs_of_shift,
  tree,
  double_tree,
  chain,
  fold,
  unfold,
  swap,
  exchange,
  gather_halves,
  bruck_back,
  bruck_forth,
  rings,
  tiers,
  inside_to_next,
  across_to_next,
  shards_push,
  shards_pull,
  nccl_ring,
  byteps
};

// `what` tells the patterns of a family apart: its values are hashed into 56 bits. Players compare pairs before they
// trust an id, so that a collision would cost time, not correctness.
inline PatternId pattern(PatternFamily family, std::span<const std::int64_t> what) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio (Knuth, TAOCP 3, section 6.4)
  constexpr int family_shift = 56;
  std::uint64_t hash = odd;
  for (const std::int64_t value : what) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * odd;
    hash ^= hash >> 29;
  }
  return PatternId{(static_cast<std::uint64_t>(family) << family_shift) | (hash >> (64 - family_shift))};
}
inline PatternId pattern(PatternFamily family, std::initializer_list<std::int64_t> what = {}) {
  return pattern(family, std::span<const std::int64_t>(what.begin(), what.size()));
}

}  // namespace models
