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

// By shift, then sender. all_to_all with sizes: append_shift() gives the n transfers of one shift, of no elements for a
// pair that is not listed: members wait for every message. O(n + log pairs).
std::vector<PlacedPair> by_shift_and_sender(std::vector<PlacedPair> pairs, int n);
void append_shift(const std::vector<PlacedPair>& sorted, int n, int shift, std::vector<Transfer>& out);

}  // namespace models
