// All-reduce over nodes, pods (groups of nodes under one leaf or pod switch) and all pods: reduce-scatter inside each
// node, then per part inside each pod, one ring all-reduce over the pods, all-gather inside back.
// Ueno and Yokota, Exhaustive study of hierarchical AllReduce patterns for large messages between GPUs, CCGRID 2019;
// three levels as in Cho, Finkler, Serrano, Kung and Hunter, BlueConnect, IBM J. Res. Dev. 2019.
// Nodes and pods need not be equal: a level hands up as many parts as its smallest unit has members, the rest help.

#include "models/base/params.hpp"
#include "models/collective/islands.hpp"
#include "models/collective/tiers.hpp"

namespace models {

namespace {

Schedule schedule(const Group& group, const Demand& demand, std::int64_t nodes_per_pod) {
  ensure(demand.kind == CollectiveKind::all_reduce, "hierarchical is an all-reduce");
  if (group.size() < 2 || demand.elements == 0) return {};
  std::vector<std::vector<Unit>> sets;
  for (const std::vector<int>& node : members_by_node(group)) {
    sets.emplace_back();
    for (const int member : node) sets.back().push_back({{member, {0, demand.elements}}});
  }
  std::vector<Tier> tiers;
  std::vector<Unit> units;
  tiers.push_back(tier_over(sets, units));
  if (nodes_per_pod > 0) {
    sets.clear();
    for (std::size_t j = 0; j < units.size(); ++j) {
      if (j % static_cast<std::size_t>(nodes_per_pod) == 0) sets.emplace_back();
      sets.back().push_back(units[j]);
    }
    tiers.push_back(tier_over(sets, units));
  }
  sets.assign(1, units);
  tiers.push_back(tier_over(sets, units));
  return all_reduce_through(tiers, nodes_per_pod);
}

}  // namespace

CollectiveAlgorithm read_hierarchical(Params& params) {
  constexpr double most_nodes = 1e6;
  const std::int64_t pod = params.count("nodes_per_pod", {0.0, most_nodes},
                                        "nodes, in rank order, that make a pod; 0: no level of pods", std::int64_t{0});
  return {{CollectiveKind::all_reduce},
          [pod](const Group& group, const Demand& demand) { return schedule(group, demand, pod); }};
}

}  // namespace models
