// Broadcast and reduce along one chain of all members in chunks: every link carries the vector once, whatever the
// number of members; nodes are entered and left once each. Chan, Heimlich, Purkayastha and van de Geijn, Collective
// communication: theory, practice, and experience, CCPE 2007; NCCL's ring broadcast and reduce (src/device/broadcast.h,
// reduce.h). A round costs O(n), a schedule of c chunks has n + c - 2 rounds: meant for groups of up to some thousand
// members.

#include "models/base/params.hpp"
#include "models/collective/islands.hpp"
#include "models/collective/pipelined_tree.hpp"

namespace models {

namespace {

constexpr std::int64_t default_chunks = 64;  // 9 % above the limit with 8 members

// The root's node first and the root first in it; the others as they come.
TreeLevels chain(const Group& group, int root) {
  const std::vector<std::vector<int>> nodes = members_by_node(group);
  std::size_t first = 0;
  for (std::size_t j = 0; j < nodes.size(); ++j)
    for (const int member : nodes[j])
      if (member == root) first = j;
  std::vector<int> parent(group.ranks.size(), -1);
  int last = root;
  const auto append = [&](int member) {
    if (member == root) return;
    parent[static_cast<std::size_t>(member)] = last;
    last = member;
  };
  for (std::size_t j = 0; j < nodes.size(); ++j)
    for (const int member : nodes[(first + j) % nodes.size()]) append(member);
  return levels_of(parent);
}

Schedule schedule(const Group& group, const Demand& demand, std::int64_t chunks) {
  ensure(demand.kind == CollectiveKind::reduce || demand.kind == CollectiveKind::broadcast,
         "chain has a schedule for this kind");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  ensure(demand.root >= 0 && demand.root < n, "the root is a member of the group");
  const auto levels = std::make_shared<const TreeLevels>(chain(group, demand.root));
  std::vector<Strand> strands;
  add_tree(demand.kind, levels, chunks_of({0, demand.elements}, chunks), strands);
  return side_by_side(std::move(strands), PatternFamily::chain, {demand.root, static_cast<std::int64_t>(demand.kind)});
}

}  // namespace

CollectiveAlgorithm read_chain(Params& params) {
  const std::int64_t chunks =
      params.count("chunks", {1.0, most_chunks}, "parts of the vector that follow each other", default_chunks);
  return {{CollectiveKind::broadcast, CollectiveKind::reduce},
          [chunks](const Group& group, const Demand& demand) { return schedule(group, demand, chunks); }};
}

}  // namespace models
