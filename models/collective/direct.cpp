// Every member sends to every other at once, in one round: one latency, and the network shares itself out.
// The all-gather of 1-bit Adam's scales and the isend/irecv all-to-all of frameworks work like this.

#include "models/collective/patterns.hpp"

namespace models {

namespace {

ElementRange carried(const Demand& demand, std::int64_t n, int from, int to) {
  switch (demand.kind) {
    case CollectiveKind::all_to_all:
      return slice(demand.elements, n * n, from * n + to);
    case CollectiveKind::all_gather:
      return slice(demand.elements, n, from);
    case CollectiveKind::reduce_scatter:
      return slice(demand.elements, n, to);
    case CollectiveKind::all_reduce:
    case CollectiveKind::broadcast:
      break;
  }
  throw Bug("direct has no schedule for this kind");
}

Schedule schedule(const Group& group, const Demand& demand) {
  ensure(demand.kind != CollectiveKind::all_reduce && demand.kind != CollectiveKind::broadcast,
         "direct has a schedule for this kind");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  const Combine combine = demand.kind == CollectiveKind::reduce_scatter ? Combine::add : Combine::copy;
  return {{1, pattern(PatternFamily::everyone), [n, demand, combine](std::int64_t, std::vector<Transfer>& out) {
             for (int shift = 1; shift < n; ++shift)
               for (int i = 0; i < n; ++i) {
                 const int to = (i + shift) % n;
                 out.push_back({i, to, carried(demand, n, i, to), combine});
               }
           }}};
}

}  // namespace

CollectiveAlgorithm read_direct(Params&) {
  return {{CollectiveKind::all_to_all, CollectiveKind::all_gather, CollectiveKind::reduce_scatter}, schedule};
}

}  // namespace models
