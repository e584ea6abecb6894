#include "models/collective/pairs.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"

namespace models {

std::vector<PlacedPair> placed_pairs(const Group& group, const Demand& demand) {
  const int n = group.size();
  std::vector<PlacedPair> placed;
  placed.reserve(demand.pairs.size());
  std::int64_t next = 0;
  for (const PairDemand& pair : demand.pairs) {
    ensure(pair.from >= 0 && pair.from < n && pair.to >= 0 && pair.to < n && pair.from != pair.to,
           "a pair joins two members of the group");
    ensure(pair.elements >= 0, "a pair has no negative size");
    placed.push_back({pair.from, pair.to, {next, pair.elements}});
    next += pair.elements;
  }
  ensure(next == demand.elements, "the elements of a demand are the sum of its pairs'");
  std::vector<std::pair<int, int>> ends;
  ends.reserve(placed.size());
  for (const PlacedPair& pair : placed) ends.emplace_back(pair.from, pair.to);
  std::sort(ends.begin(), ends.end());
  ensure(std::adjacent_find(ends.begin(), ends.end()) == ends.end(), "no pair is listed twice");
  return placed;
}

std::int64_t digest(const std::vector<PlacedPair>& pairs) {
  constexpr std::uint64_t prime = 0x100000001b3;  // FNV-1a, 64 bits (Fowler, Noll and Vo)
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const PlacedPair& pair : pairs)
    for (const int member : {pair.from, pair.to}) hash = (hash ^ static_cast<std::uint64_t>(member)) * prime;
  return static_cast<std::int64_t>(hash >> 1);
}

std::vector<PlacedPair> by_shift_and_sender(std::vector<PlacedPair> pairs, int n) {
  std::sort(pairs.begin(), pairs.end(), [n](const PlacedPair& a, const PlacedPair& b) {
    return std::pair(shift_of(a, n), a.from) < std::pair(shift_of(b, n), b.from);
  });
  return pairs;
}

void append_shift(const std::vector<PlacedPair>& sorted, int n, int shift, std::vector<Transfer>& out) {
  auto next = std::partition_point(sorted.begin(), sorted.end(),
                                   [n, shift](const PlacedPair& pair) { return shift_of(pair, n) < shift; });
  for (int i = 0; i < n; ++i) {
    const bool listed = next != sorted.end() && next->from == i && shift_of(*next, n) == shift;
    out.push_back({i, (i + shift) % n, listed ? next->elements : ElementRange{}, Combine::copy});
    if (listed) ++next;
  }
}

}  // namespace models
