#include "models/collective/islands.hpp"

#include <algorithm>
#include <map>

#include "models/base/error.hpp"

namespace models {

std::vector<std::vector<int>> members_by_node(const Group& group) {
  ensure(group.node.size() == group.ranks.size(), "every member of a group has a node");
  std::map<int, std::size_t> index;
  std::vector<std::vector<int>> nodes;
  for (int i = 0; i < group.size(); ++i) {
    const auto [entry, fresh] = index.emplace(group.node[static_cast<std::size_t>(i)], nodes.size());
    if (fresh) nodes.emplace_back();
    nodes[entry->second].push_back(i);
  }
  return nodes;
}

std::int64_t smallest(const std::vector<std::vector<int>>& nodes) {
  std::size_t least = nodes.front().size();
  for (const auto& members : nodes) least = std::min(least, members.size());
  return static_cast<std::int64_t>(least);
}

ElementRange part_of(ElementRange range, std::int64_t parts, std::int64_t i) {
  const ElementRange part = slice(range.count, parts, i);
  return {range.begin + part.begin, part.count};
}

}  // namespace models
