// Rings inside nodes and across them. All-reduce: reduce-scatter inside each node, one ring all-reduce over the nodes
// per part, all-gather inside. All-gather: inside, then each node's block in parts over the nodes, then inside;
// reduce-scatter is the same backwards.
// Ueno and Yokota, Exhaustive study of hierarchical AllReduce patterns for large messages between GPUs, CCGRID 2019
// (their ring-ring case). Nodes need not be equal: the smallest one's size is the number of parts.

#include <algorithm>
#include <memory>
#include <utility>

#include "models/collective/islands.hpp"
#include "models/collective/tiers.hpp"

namespace models {

namespace {

Schedule all_reduce(const std::vector<std::vector<int>>& nodes, std::int64_t elements) {
  std::vector<std::vector<Unit>> sets;
  for (const std::vector<int>& node : nodes) {
    sets.emplace_back();
    for (const int member : node) sets.back().push_back({{member, {0, elements}}});
  }
  std::vector<Tier> tiers;
  std::vector<Unit> units;
  tiers.push_back(tier_over(sets, units));
  sets.assign(1, units);
  tiers.push_back(tier_over(sets, units));
  return all_reduce_through(tiers, 0);
}

// What the members of each node own, as one block: its slices one after the other, wherever they lie.
struct Blocks {
  std::vector<std::vector<int>> nodes;
  std::int64_t members, elements, lanes;
  std::vector<std::int64_t> count;       // of each node's block
  std::vector<std::int64_t> lane_count;  // of all blocks

  ElementRange owned(int member) const { return slice(elements, members, member); }
  ElementRange lane_of(std::size_t node, std::int64_t lane) const {
    return lane < lanes ? slice(count[node], lanes, lane) : ElementRange{};
  }
  void pieces_of(std::size_t node, std::int64_t lane, std::vector<ElementRange>& out) const {
    const ElementRange wanted = lane_of(node, lane);
    std::int64_t begin = 0;
    for (const int member : nodes[node]) {
      const ElementRange range = owned(member);
      const std::int64_t first = std::max(wanted.begin, begin);
      const std::int64_t last = std::min(wanted.begin + wanted.count, begin + range.count);
      if (first < last) out.push_back({range.begin + first - begin, last - first});
      begin += range.count;
    }
  }
};

Blocks blocks_of(std::vector<std::vector<int>> nodes, std::int64_t members, std::int64_t elements) {
  Blocks blocks{std::move(nodes), members, elements, 0, {}, {}};
  blocks.lanes = smallest(blocks.nodes);
  blocks.lane_count.assign(static_cast<std::size_t>(blocks.lanes), 0);
  for (std::size_t j = 0; j < blocks.nodes.size(); ++j) {
    std::int64_t sum = 0;
    for (const int member : blocks.nodes[j]) sum += blocks.owned(member).count;
    blocks.count.push_back(sum);
    for (std::int64_t l = 0; l < blocks.lanes; ++l)
      blocks.lane_count[static_cast<std::size_t>(l)] += blocks.lane_of(j, l).count;
  }
  return blocks;
}

enum class Inside { own_slices, foreign_lanes };
// Ring inside each node: what member k begins with comes to all of its node.
void add_inside(const std::shared_ptr<const Blocks>& blocks, Inside what, Schedule& phases) {
  std::vector<Strand> strands;
  for (std::size_t j = 0; j < blocks->nodes.size(); ++j) {
    const auto local = static_cast<std::int64_t>(blocks->nodes[j].size());
    const auto count = [blocks, j, what](std::int64_t owner) {
      if (what == Inside::own_slices) return blocks->owned(blocks->nodes[j][static_cast<std::size_t>(owner)]).count;
      if (owner >= blocks->lanes) return std::int64_t{0};
      return blocks->lane_count[static_cast<std::size_t>(owner)] - blocks->lane_of(j, owner).count;
    };
    strands.push_back(
        {0, local - 1,
         [blocks, j, local, count](std::int64_t round, std::vector<Transfer>& out) {
           const std::vector<int>& members = blocks->nodes[j];
           for (std::int64_t k = 0; k < local; ++k)
             out.push_back({members[static_cast<std::size_t>(k)],
                            members[static_cast<std::size_t>((k + 1) % local)],
                            {0, count(wrapped(k - round, local))},
                            Combine::copy});
         },
         [blocks, j, local, what](std::int64_t round, std::size_t transfer, std::vector<ElementRange>& out) {
           const std::int64_t owner = wrapped(static_cast<std::int64_t>(transfer) - round, local);
           if (what == Inside::own_slices) {
             out.push_back(blocks->owned(blocks->nodes[j][static_cast<std::size_t>(owner)]));
             return;
           }
           for (std::size_t node = 0; node < blocks->nodes.size(); ++node)
             if (node != j) blocks->pieces_of(node, owner, out);
         },
         static_cast<std::size_t>(local)});
  }
  for (Phase& phase : side_by_side(std::move(strands), PatternFamily::inside_to_next, {}))
    phases.push_back(std::move(phase));
}

// Ring over the nodes for each lane: lane l of every block comes to member l of every node.
void add_across(const std::shared_ptr<const Blocks>& blocks, Schedule& phases) {
  const auto count = static_cast<std::int64_t>(blocks->nodes.size());
  if (count < 2) return;
  phases.push_back({count - 1, pattern(PatternFamily::across_to_next),
                    [blocks, count](std::int64_t round, std::vector<Transfer>& out) {
                      for (std::int64_t j = 0; j < count; ++j)
                        for (std::int64_t l = 0; l < blocks->lanes; ++l)
                          out.push_back(
                              {blocks->nodes[static_cast<std::size_t>(j)][static_cast<std::size_t>(l)],
                               blocks->nodes[static_cast<std::size_t>((j + 1) % count)][static_cast<std::size_t>(l)],
                               {0, blocks->lane_of(static_cast<std::size_t>(wrapped(j - round, count)), l).count},
                               Combine::copy});
                    },
                    [blocks, count](std::int64_t round, std::size_t transfer, std::vector<ElementRange>& out) {
                      const auto index = static_cast<std::int64_t>(transfer);
                      blocks->pieces_of(static_cast<std::size_t>(wrapped(index / blocks->lanes - round, count)),
                                        index % blocks->lanes, out);
                    }});
}

Schedule all_gather(std::vector<std::vector<int>> nodes, std::int64_t members, std::int64_t elements) {
  const auto blocks = std::make_shared<const Blocks>(blocks_of(std::move(nodes), members, elements));
  Schedule phases;
  add_inside(blocks, Inside::own_slices, phases);
  add_across(blocks, phases);
  if (blocks->nodes.size() > 1) add_inside(blocks, Inside::foreign_lanes, phases);
  return phases;
}

Schedule schedule(const Group& group, const Demand& demand) {
  const CollectiveKind kind = demand.kind;
  ensure(kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
             kind == CollectiveKind::all_gather,
         "hierarchical_ring has a schedule for this kind");
  if (group.size() < 2 || demand.elements == 0) return {};
  std::vector<std::vector<int>> nodes = members_by_node(group);
  if (kind == CollectiveKind::all_reduce) return all_reduce(nodes, demand.elements);
  Schedule gather = all_gather(std::move(nodes), group.size(), demand.elements);
  return kind == CollectiveKind::all_gather ? gather : backwards(std::move(gather));
}

}  // namespace

CollectiveAlgorithm read_hierarchical_ring(Params&) {
  return {{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather}, schedule};
}

}  // namespace models
