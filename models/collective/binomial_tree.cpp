// Broadcast in ceil(log2 n) rounds: every member that has the vector passes it on, so their number doubles.
// Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 2005.

#include "models/collective/patterns.hpp"

namespace models {

namespace {

constexpr std::int64_t most_rounds = 32;

Schedule schedule(const Group& group, const Demand& demand) {
  ensure(demand.kind == CollectiveKind::broadcast, "binomial_tree is a broadcast");
  const std::int64_t n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  ensure(demand.root >= 0 && demand.root < n, "the root is a member of the group");
  Schedule phases;
  std::int64_t round = 0;
  for (std::int64_t informed = 1; informed < n; informed *= 2, ++round) {
    phases.push_back({1, pattern(PatternFamily::tree, demand.root * most_rounds + round),
                      [n, informed, demand](std::int64_t, std::vector<Transfer>& out) {
                        for (std::int64_t v = 0; v < informed && v + informed < n; ++v)
                          out.push_back({static_cast<int>((demand.root + v) % n),
                                         static_cast<int>((demand.root + v + informed) % n),
                                         {0, demand.elements},
                                         Combine::copy});
                      }});
  }
  return phases;
}

}  // namespace

CollectiveAlgorithm read_binomial_tree(Params&) { return {{CollectiveKind::broadcast}, schedule}; }

}  // namespace models
