#include "models/collective/pipelined_tree.hpp"

#include <algorithm>

#include "models/collective/islands.hpp"

namespace models {

TreeLevels levels_of(const std::vector<int>& parent) {
  std::vector<int> depth(parent.size(), -1), path;
  TreeLevels levels;
  for (std::size_t member = 0; member < parent.size(); ++member) {
    path.clear();
    int at = static_cast<int>(member);
    while (at >= 0 && depth[static_cast<std::size_t>(at)] < 0) {
      ensure(path.size() < parent.size(), "a tree has no cycle");
      path.push_back(at);
      at = parent[static_cast<std::size_t>(at)];
    }
    int next = at < 0 ? 0 : depth[static_cast<std::size_t>(at)] + 1;
    for (auto seen = path.rbegin(); seen != path.rend(); ++seen) depth[static_cast<std::size_t>(*seen)] = next++;
  }
  for (std::size_t member = 0; member < parent.size(); ++member) {
    if (depth[member] == 0) continue;
    const auto level = static_cast<std::size_t>(depth[member] - 1);
    if (levels.size() <= level) levels.resize(level + 1);
    levels[level].push_back({static_cast<int>(member), parent[member]});
  }
  return levels;
}

Chunks chunks_of(ElementRange part, std::int64_t count) {
  return {part, std::clamp<std::int64_t>(part.count, 1, count)};
}

void add_reduction(const std::shared_ptr<const TreeLevels>& tree, const Chunks& chunks, std::int64_t begin,
                   std::vector<Strand>& strands) {
  const auto levels = static_cast<std::int64_t>(tree->size());
  for (std::int64_t d = 0; d < levels; ++d)
    strands.push_back(
        {begin + levels - 1 - d, chunks.count, [tree, chunks, d](std::int64_t chunk, std::vector<Transfer>& out) {
           const ElementRange range = part_of(chunks.part, chunks.count, chunk);
           for (const TreeEdge& edge : (*tree)[static_cast<std::size_t>(d)])
             out.push_back({edge.child, edge.parent, range, Combine::add});
         }});
}

void add_broadcast(const std::shared_ptr<const TreeLevels>& tree, const Chunks& chunks, std::int64_t begin,
                   std::vector<Strand>& strands) {
  const auto levels = static_cast<std::int64_t>(tree->size());
  for (std::int64_t d = 0; d < levels; ++d)
    strands.push_back({begin + d, chunks.count, [tree, chunks, d](std::int64_t chunk, std::vector<Transfer>& out) {
                         const ElementRange range = part_of(chunks.part, chunks.count, chunk);
                         for (const TreeEdge& edge : (*tree)[static_cast<std::size_t>(d)])
                           out.push_back({edge.parent, edge.child, range, Combine::copy});
                       }});
}

void add_tree(CollectiveKind kind, const std::shared_ptr<const TreeLevels>& tree, const Chunks& chunks,
              std::vector<Strand>& strands) {
  ensure(kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce || kind == CollectiveKind::broadcast,
         "a tree reduces, broadcasts or both");
  if (kind != CollectiveKind::broadcast) add_reduction(tree, chunks, 0, strands);
  const std::int64_t up = kind == CollectiveKind::all_reduce ? static_cast<std::int64_t>(tree->size()) : 0;
  if (kind != CollectiveKind::reduce) add_broadcast(tree, chunks, up, strands);
}

}  // namespace models
