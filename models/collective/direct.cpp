// Every message at once, in one round: one latency, and the network shares itself out.
// The isend/irecv (ncclSend/ncclRecv in one group) exchanges of frameworks work like this: NVIDIA, NCCL user guide,
// section "Point-to-point communication".

#include <memory>
#include <utility>

#include "models/collective/pairs.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

// The slice that `from` has for `to`; what every member sends to every other.
ElementRange carried(CollectiveKind kind, std::int64_t elements, std::int64_t n, int from, int to) {
  switch (kind) {
    case CollectiveKind::all_to_all:
      return slice(elements, n * n, from * n + to);
    case CollectiveKind::all_gather:
      return slice(elements, n, from);
    default:
      ensure(kind == CollectiveKind::reduce_scatter, "direct has a schedule for this kind");
      return slice(elements, n, to);
  }
}

Phase everyone_to_everyone(int n, const Demand& demand) {
  const Combine combine = demand.kind == CollectiveKind::reduce_scatter ? Combine::add : Combine::copy;
  return {1,
          pattern(PatternFamily::everyone),
          [n, kind = demand.kind, elements = demand.elements, combine](std::int64_t, std::vector<Transfer>& out) {
            for (int shift = 1; shift < n; ++shift)
              for (int i = 0; i < n; ++i) {
                const int to = (i + shift) % n;
                out.push_back({i, to, carried(kind, elements, n, i, to), combine});
              }
          },
          {}};
}

Phase sized_all_to_all(int n, std::vector<PlacedPair> pairs) {
  auto sorted = std::make_shared<const std::vector<PlacedPair>>(by_shift_and_sender(std::move(pairs), n));
  return {1,
          pattern(PatternFamily::everyone),
          [n, sorted = std::move(sorted)](std::int64_t, std::vector<Transfer>& out) {
            for (int shift = 1; shift < n; ++shift) append_shift(*sorted, n, shift, out);
          },
          {}};
}

Phase along_edges(std::vector<PlacedPair> pairs) {
  const std::int64_t graph = digest(pairs);
  auto edges = std::make_shared<const std::vector<PlacedPair>>(std::move(pairs));
  return {1,
          pattern(PatternFamily::pairs, {graph}),
          [edges = std::move(edges)](std::int64_t, std::vector<Transfer>& out) {
            for (const PlacedPair& edge : *edges) out.push_back({edge.from, edge.to, edge.elements, Combine::copy});
          },
          {}};
}

Phase to_successors(int n, std::int64_t elements) {
  return {1,
          pattern(PatternFamily::ring),
          [n, elements](std::int64_t, std::vector<Transfer>& out) {
            for (int i = 0; i < n; ++i) out.push_back({i, (i + 1) % n, slice(elements, n, i), Combine::copy});
          },
          {}};
}

Schedule schedule(const Group& group, const Demand& demand) {
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  if (demand.kind == CollectiveKind::neighbor_exchange) return {along_edges(placed_pairs(group, demand))};
  if (demand.kind == CollectiveKind::send_recv) return {to_successors(n, demand.elements)};
  if (demand.kind == CollectiveKind::all_to_all && !demand.pairs.empty())
    return {sized_all_to_all(n, placed_pairs(group, demand))};
  carried(demand.kind, demand.elements, n, 0, 1);
  return {everyone_to_everyone(n, demand)};
}

}  // namespace

CollectiveAlgorithm read_direct(Params&) {
  return {{CollectiveKind::all_to_all, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
           CollectiveKind::send_recv, CollectiveKind::neighbor_exchange},
          schedule};
}

}  // namespace models
