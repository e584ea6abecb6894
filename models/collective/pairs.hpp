#pragma once
// Demand::pairs, checked and placed: each pair's elements follow those of the pair before.

#include <cstdint>
#include <vector>

#include "models/collective/collective.hpp"

namespace models {

struct PlacedPair {
  int from = 0, to = 0;
  ElementRange elements;
};

// In the demand's order. Throws Bug for pairs outside the group, of a member with itself, listed twice, or whose sum is
// not demand.elements.
std::vector<PlacedPair> placed_pairs(const Group& group, const Demand& demand);

// (to - from) mod n: in how many places `to` follows `from`.
inline int shift_of(const PlacedPair& pair, int n) { return (pair.to - pair.from + n) % n; }
// Tells graphs apart for pattern().
std::int64_t digest(const std::vector<PlacedPair>& pairs);

// all_to_all with sizes: elements by shift and sender, [shift * n + from]; a pair that is not listed has none.
std::vector<ElementRange> by_shift_and_sender(const std::vector<PlacedPair>& pairs, int n);

}  // namespace models
