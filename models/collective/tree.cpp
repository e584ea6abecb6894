// All-reduce as a reduction to a root and a broadcast from it, both through one binary tree and in chunks, so that
// every level of the tree works on a chunk of its own; also reduce and broadcast alone. Chan, Heimlich, Purkayastha and
// van de Geijn, Collective communication: theory, practice, and experience, CCPE 2007; pipelining: Sanders, Speck and
// Traff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing 2009, section 3.

#include "models/base/params.hpp"
#include "models/collective/pipelined_tree.hpp"

namespace models {

namespace {

// The inner members send and receive three times what a leaf does, so that no number of chunks reaches the rate of a
// ring; with 16 a tree of 8 members spends 21/16 of its limit.
constexpr std::int64_t default_chunks = 16;

// Members counted from the root, breadth first: the parent of v is (v - 1) / 2.
TreeLevels binary_tree(int n, int root) {
  std::vector<int> parent(static_cast<std::size_t>(n), -1);
  for (int v = 1; v < n; ++v) parent[static_cast<std::size_t>((root + v) % n)] = (root + (v - 1) / 2) % n;
  return levels_of(parent);
}

Schedule schedule(const Group& group, const Demand& demand, std::int64_t chunks) {
  ensure(demand.kind == CollectiveKind::all_reduce || demand.kind == CollectiveKind::reduce ||
             demand.kind == CollectiveKind::broadcast,
         "tree has a schedule for this kind");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  ensure(demand.root >= 0 && demand.root < n, "the root is a member of the group");
  const auto tree = std::make_shared<const TreeLevels>(binary_tree(n, demand.root));
  std::vector<Strand> strands;
  add_tree(demand.kind, tree, chunks_of({0, demand.elements}, chunks), strands);
  return side_by_side(std::move(strands), PatternFamily::tree, {demand.root, static_cast<std::int64_t>(demand.kind)});
}

}  // namespace

CollectiveAlgorithm read_tree(Params& params) {
  const std::int64_t chunks =
      params.count("chunks", {1.0, most_chunks}, "parts of the vector that follow each other", default_chunks);
  return {{CollectiveKind::all_reduce, CollectiveKind::reduce, CollectiveKind::broadcast},
          [chunks](const Group& group, const Demand& demand) { return schedule(group, demand, chunks); }};
}

}  // namespace models
