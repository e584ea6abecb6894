// All-to-all in n-1 rounds: in round r member i sends to member i + r, so every member sends one message and receives
// one. Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 2005.
// A neighbour exchange takes the same rounds along the edges it has.

#include <memory>
#include <utility>

#include "models/collective/pairs.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

Schedule equal_messages(int n, std::int64_t elements) {
  Schedule phases;
  for (int shift = 1; shift < n; ++shift)
    phases.push_back({1,
                      pattern(PatternFamily::shift, {shift}),
                      [n, shift, elements](std::int64_t, std::vector<Transfer>& out) {
                        const std::int64_t size = n;
                        for (int i = 0; i < n; ++i) {
                          const int to = (i + shift) % n;
                          out.push_back({i, to, slice(elements, size * size, i * size + to), Combine::copy});
                        }
                      },
                      {}});
  return phases;
}

Schedule sized_messages(int n, std::vector<PlacedPair> pairs) {
  const auto sorted = std::make_shared<const std::vector<PlacedPair>>(by_shift_and_sender(std::move(pairs), n));
  Schedule phases;
  for (int shift = 1; shift < n; ++shift)
    phases.push_back(
        {1,
         pattern(PatternFamily::shift, {shift}),
         [n, shift, sorted](std::int64_t, std::vector<Transfer>& out) { append_shift(*sorted, n, shift, out); },
         {}});
  return phases;
}

Schedule edges_by_shift(int n, std::vector<PlacedPair> pairs) {
  pairs = by_shift_and_sender(std::move(pairs), n);
  const std::int64_t graph = digest(pairs);
  const auto edges = std::make_shared<const std::vector<PlacedPair>>(std::move(pairs));
  Schedule phases;
  for (std::size_t begin = 0, end = 0; begin < edges->size(); begin = end) {
    const int shift = shift_of((*edges)[begin], n);
    while (end < edges->size() && shift_of((*edges)[end], n) == shift) ++end;
    phases.push_back({1,
                      pattern(PatternFamily::pairs_of_shift, {graph, shift}),
                      [edges, begin, end](std::int64_t, std::vector<Transfer>& out) {
                        for (std::size_t e = begin; e < end; ++e)
                          out.push_back({(*edges)[e].from, (*edges)[e].to, (*edges)[e].elements, Combine::copy});
                      },
                      {}});
  }
  return phases;
}

Schedule schedule(const Group& group, const Demand& demand) {
  ensure(demand.kind == CollectiveKind::all_to_all || demand.kind == CollectiveKind::neighbor_exchange,
         "pairwise has a schedule for this kind");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  if (demand.kind == CollectiveKind::neighbor_exchange) return edges_by_shift(n, placed_pairs(group, demand));
  if (!demand.pairs.empty()) return sized_messages(n, placed_pairs(group, demand));
  return equal_messages(n, demand.elements);
}

}  // namespace

CollectiveAlgorithm read_pairwise(Params&) {
  return {{CollectiveKind::all_to_all, CollectiveKind::neighbor_exchange}, schedule};
}

}  // namespace models
