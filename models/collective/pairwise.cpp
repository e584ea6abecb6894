// All-to-all in n-1 rounds: in round r member i sends to member i + r, so every member sends one message and receives
// one. Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 2005.

#include "models/collective/patterns.hpp"

namespace models {

namespace {

Schedule schedule(const Group& group, const Demand& demand) {
  ensure(demand.kind == CollectiveKind::all_to_all, "pairwise is an all-to-all");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  Schedule phases;
  for (int shift = 1; shift < n; ++shift) {
    phases.push_back({1, pattern(PatternFamily::shift, {shift}),
                      [n, shift, elements = demand.elements](std::int64_t, std::vector<Transfer>& out) {
                        const std::int64_t size = n;
                        for (int i = 0; i < n; ++i) {
                          const int to = (i + shift) % n;
                          out.push_back({i, to, slice(elements, size * size, i * size + to), Combine::copy});
                        }
                      }});
  }
  return phases;
}

}  // namespace

CollectiveAlgorithm read_pairwise(Params&) { return {{CollectiveKind::all_to_all}, schedule}; }

}  // namespace models
