// All-reduce, reduce-scatter and all-gather over several rings at once, a share of the vector each. The rings visit the
// nodes in one order but enter and leave them by different members, so that each uses a NIC of its own; of two nodes in
// a row one is passed backwards, so that the NIC a ring leaves by and the one it enters by have the same index (rail).
// NVIDIA NCCL (its channels; src/graph/rings.cc, search.cc), no paper; the ring is Patarasuk and Yuan's, JPDC 2009.

#include <algorithm>
#include <memory>

#include "models/base/params.hpp"
#include "models/collective/islands.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

struct Rings {
  std::vector<std::vector<int>> order;  // of each ring: group indices
  std::int64_t count() const { return static_cast<std::int64_t>(order.size()); }
};

// Ring r passes an even node from local member r up to r - 1, an odd one from r - 1 down to r.
Rings rings_over(const std::vector<std::vector<int>>& nodes, std::int64_t count) {
  Rings rings;
  for (std::int64_t r = 0; r < count; ++r) {
    std::vector<int> order;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      const auto local = static_cast<std::int64_t>(nodes[j].size());
      for (std::int64_t k = 0; k < local; ++k)
        order.push_back(nodes[j][static_cast<std::size_t>(wrapped(j % 2 == 0 ? r + k : r - 1 - k, local))]);
    }
    rings.order.push_back(std::move(order));
  }
  return rings;
}

// `lag` 1: reduce-scatter, member i ends with slice i of every ring's share; 0: all-gather, it begins with them.
Phase around(std::shared_ptr<const Rings> rings, std::int64_t n, std::int64_t elements, std::int64_t lag,
             Combine combine) {
  const PatternId id = pattern(PatternFamily::rings, {rings->count()});
  return {n - 1,
          id,
          [rings = std::move(rings), n, elements, lag, combine](std::int64_t round, std::vector<Transfer>& out) {
            for (std::int64_t r = 0; r < rings->count(); ++r) {
              const std::vector<int>& order = rings->order[static_cast<std::size_t>(r)];
              for (std::int64_t i = 0; i < n; ++i) {
                const int owner = order[static_cast<std::size_t>(wrapped(i - round - lag, n))];
                out.push_back({order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>((i + 1) % n)],
                               part_of(slice(elements, n, owner), rings->count(), r), combine});
              }
            }
          },
          {}};
}

Schedule schedule(const Group& group, const Demand& demand, std::int64_t asked) {
  const CollectiveKind kind = demand.kind;
  ensure(kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
             kind == CollectiveKind::all_gather,
         "multi_ring has a schedule for this kind");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  const std::vector<std::vector<int>> nodes = members_by_node(group);
  const std::int64_t count = asked > 0 ? asked : nodes.size() > 1 ? smallest(nodes) : 1;
  const auto rings = std::make_shared<const Rings>(rings_over(nodes, count));
  Schedule phases;
  if (kind != CollectiveKind::all_gather) phases.push_back(around(rings, n, demand.elements, 1, Combine::add));
  if (kind != CollectiveKind::reduce_scatter) phases.push_back(around(rings, n, demand.elements, 0, Combine::copy));
  return phases;
}

}  // namespace

CollectiveAlgorithm read_multi_ring(Params& params) {
  constexpr double most_rings = 64.0;  // NCCL's MAXCHANNELS
  const std::int64_t count = params.count("rings", {0.0, most_rings},
                                          "how many; 0: as many as the smallest node has members", std::int64_t{0});
  return {{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather},
          [count](const Group& group, const Demand& demand) { return schedule(group, demand, count); }};
}

}  // namespace models
