// Broadcast in ceil(log2 n) rounds: every member that has the vector passes it on, so their number doubles; reduce is
// the same backwards; scatter and gather hand on only the slices of the part of the tree behind the receiver.
// Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 2005.

#include <algorithm>

#include "models/collective/parts.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

bool sliced(CollectiveKind kind) { return kind == CollectiveKind::gather || kind == CollectiveKind::scatter; }
bool away(CollectiveKind kind) { return kind == CollectiveKind::broadcast || kind == CollectiveKind::scatter; }

// Slices of the members root + first .. root + last - 1, which may pass the end of the vector: two ranges then.
struct Slices {
  ElementRange upper, lower;
  std::int64_t count() const { return upper.count + lower.count; }
};
Slices slices_of(const Demand& demand, std::int64_t n, std::int64_t first, std::int64_t last) {
  const auto begin = [&](std::int64_t member) {
    return member == n ? demand.elements : slice(demand.elements, n, member).begin;
  };
  const std::int64_t from = demand.root + first, to = demand.root + last;
  if (from >= n) return {{begin(from - n), begin(to - n) - begin(from - n)}, {}};
  if (to <= n) return {{begin(from), begin(to) - begin(from)}, {}};
  return {{begin(from), demand.elements - begin(from)}, {0, begin(to - n)}};
}

// Positions v are counted from the root. Across `distance`, v < distance speaks with v + distance. A broadcast visits
// the distances upwards, a scatter downwards (the far half first); reduce and gather go the other way round.
Phase across(std::int64_t n, std::int64_t distance, const Demand& demand) {
  Demand of = demand;
  of.pairs = {};  // the schedule outlives them
  // Broadcast and reduce use v + distance with v < distance; scatter and gather v a multiple of 2 distance.
  const std::int64_t step = sliced(of.kind) ? 2 * distance : 1;
  const std::int64_t limit = sliced(of.kind) ? n - distance : std::min(distance, n - distance);
  const auto behind = [of, n, step, distance](std::size_t transfer) {
    const std::int64_t v = static_cast<std::int64_t>(transfer) * step + distance;
    return slices_of(of, n, v, std::min(v + distance, n));
  };
  Phase phase{1,
              pattern(away(of.kind) ? PatternFamily::binomial_away : PatternFamily::binomial_towards,
                      {of.root, distance, sliced(of.kind) ? 1 : 0}),
              [of, n, distance, step, limit, behind](std::int64_t, std::vector<Transfer>& out) {
                const Combine combine = of.kind == CollectiveKind::reduce ? Combine::add : Combine::copy;
                std::size_t transfer = 0;
                for (std::int64_t v = 0; v < limit; v += step, ++transfer) {
                  const auto nearer = static_cast<int>((of.root + v) % n);
                  const auto farther = static_cast<int>((of.root + v + distance) % n);
                  const ElementRange range =
                      sliced(of.kind) ? ElementRange{0, behind(transfer).count()} : ElementRange{0, of.elements};
                  out.push_back({away(of.kind) ? nearer : farther, away(of.kind) ? farther : nearer, range, combine});
                }
              },
              {}};
  if (sliced(of.kind))
    phase.pieces = [behind](std::int64_t, std::size_t transfer, std::vector<ElementRange>& out) {
      const Slices slices = behind(transfer);
      out.push_back(slices.upper);
      if (slices.lower.count > 0) out.push_back(slices.lower);
    };
  return phase;
}

}  // namespace

Schedule binomial_tree_schedule(const Group& group, const Demand& demand) {
  ensure(sliced(demand.kind) || demand.kind == CollectiveKind::broadcast || demand.kind == CollectiveKind::reduce,
         "binomial_tree has a schedule for this kind");
  const std::int64_t n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  ensure(demand.root >= 0 && demand.root < n, "the root is a member of the group");
  Schedule phases;
  for (std::int64_t distance = 1; distance < n; distance *= 2) phases.push_back(across(n, distance, demand));
  if (demand.kind == CollectiveKind::reduce || demand.kind == CollectiveKind::scatter)
    std::reverse(phases.begin(), phases.end());
  return phases;
}

CollectiveAlgorithm read_binomial_tree(Params&) {
  return {{CollectiveKind::broadcast, CollectiveKind::reduce, CollectiveKind::gather, CollectiveKind::scatter},
          binomial_tree_schedule};
}

}  // namespace models
