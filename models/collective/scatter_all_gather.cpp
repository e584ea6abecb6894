// Broadcast of a long vector: scatter it over a binomial tree, then all-gather it around a ring, so that the root sends
// about twice the vector instead of log2 n times; reduce is the same backwards, a ring reduce-scatter and a gather.
// Barnett, Gupta, Payne, Shuler, van de Geijn and Watts, Interprocessor collective communication library (InterCom),
// SHPCC 1994; Thakur, Rabenseifner and Gropp, IJHPCA 2005, section 4.2.

#include "models/base/error.hpp"
#include "models/collective/parts.hpp"

namespace models {

namespace {

Schedule schedule(const Group& group, const Demand& demand) {
  const bool broadcast = demand.kind == CollectiveKind::broadcast;
  ensure(broadcast || demand.kind == CollectiveKind::reduce, "scatter_all_gather has a schedule for this kind");
  const auto of_kind = [&demand](CollectiveKind kind) { return Demand{kind, demand.elements, demand.root, {}}; };
  Schedule phases = broadcast ? binomial_tree_schedule(group, of_kind(CollectiveKind::scatter))
                              : ring_schedule(group, of_kind(CollectiveKind::reduce_scatter));
  for (Phase& phase : broadcast ? ring_schedule(group, of_kind(CollectiveKind::all_gather))
                                : binomial_tree_schedule(group, of_kind(CollectiveKind::gather)))
    phases.push_back(std::move(phase));
  return phases;
}

}  // namespace

CollectiveAlgorithm read_scatter_all_gather(Params&) {
  return {{CollectiveKind::broadcast, CollectiveKind::reduce}, schedule};
}

}  // namespace models
