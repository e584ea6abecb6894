// All-reduce over two binary trees at once, half of the vector each, every node inner in one tree at most: all links
// work both ways and a chunk takes logarithmic time. Members of a node form a chain behind the one that is in the tree.
// Sanders, Speck and Traff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing
// 2009; the trees are those of NCCL (src/graph/trees.cc, ncclGetDtree).

#include "models/base/params.hpp"
#include "models/collective/islands.hpp"
#include "models/collective/pipelined_tree.hpp"

namespace models {

namespace {

constexpr std::int64_t default_chunks = 16;  // as for tree

// The parent of `node` in the in-order binary tree over `count` nodes: a node whose lowest bit is `bit` hangs under one
// of the two neighbours at that distance. Node 0 is the root.
std::int64_t in_order_parent(std::int64_t node, std::int64_t count) {
  if (node == 0) return -1;
  const std::int64_t bit = node & -node;
  const std::int64_t up = (node ^ bit) | (bit << 1);
  return up >= count ? node ^ bit : up;
}

// The second tree is the first one mirrored when `count` is even, shifted by one when it is odd.
std::int64_t parent_node(int tree, std::int64_t node, std::int64_t count) {
  if (tree == 0) return in_order_parent(node, count);
  const bool mirrored = count % 2 == 0;
  const std::int64_t up = in_order_parent(mirrored ? count - 1 - node : wrapped(node - 1, count), count);
  if (up < 0) return -1;
  return mirrored ? count - 1 - up : (up + 1) % count;
}

// The second tree enters a node half a node further, so that it uses other links out of it.
TreeLevels tree_over(const std::vector<std::vector<int>>& nodes, int tree, int members) {
  const auto head = [&](std::int64_t node) {
    const auto& local = nodes[static_cast<std::size_t>(node)];
    return tree == 0 ? 0 : local.size() / 2;
  };
  std::vector<int> parent(static_cast<std::size_t>(members), -1);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const auto& local = nodes[node];
    const std::size_t first = head(static_cast<std::int64_t>(node));
    const std::int64_t up = parent_node(tree, static_cast<std::int64_t>(node), static_cast<std::int64_t>(nodes.size()));
    if (up >= 0) parent[static_cast<std::size_t>(local[first])] = nodes[static_cast<std::size_t>(up)][head(up)];
    for (std::size_t k = 1; k < local.size(); ++k)
      parent[static_cast<std::size_t>(local[(first + k) % local.size()])] = local[(first + k - 1) % local.size()];
  }
  return levels_of(parent);
}

Schedule schedule(const Group& group, const Demand& demand, std::int64_t chunks) {
  ensure(demand.kind == CollectiveKind::all_reduce, "double_binary_tree is an all-reduce");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  const std::vector<std::vector<int>> nodes = members_by_node(group);
  std::vector<Strand> strands;
  for (const int tree : {0, 1})
    add_tree(demand.kind, std::make_shared<const TreeLevels>(tree_over(nodes, tree, n)),
             chunks_of(slice(demand.elements, 2, tree), chunks), strands);
  return side_by_side(std::move(strands), PatternFamily::double_tree, {});
}

}  // namespace

CollectiveAlgorithm read_double_binary_tree(Params& params) {
  const std::int64_t chunks =
      params.count("chunks", {1.0, most_chunks}, "parts of each half that follow each other", default_chunks);
  return {{CollectiveKind::all_reduce},
          [chunks](const Group& group, const Demand& demand) { return schedule(group, demand, chunks); }};
}

}  // namespace models
