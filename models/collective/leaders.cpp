#include "models/collective/leaders.hpp"

#include <algorithm>
#include <map>

#include "models/base/error.hpp"

namespace models {

std::shared_ptr<const Leaders> leaders_of(const Group& group) {
  ensure(group.node.size() == group.ranks.size(), "every member of a group has a node");
  std::map<int, std::size_t> index;
  std::vector<std::vector<int>> by_node;
  for (int i = 0; i < group.size(); ++i) {
    const auto [entry, fresh] = index.emplace(group.node[static_cast<std::size_t>(i)], by_node.size());
    if (fresh) by_node.emplace_back();
    by_node[entry->second].push_back(i);
  }
  const std::size_t local = by_node.empty() ? 0 : by_node.front().size();
  const bool equal =
      by_node.size() > 1 && std::all_of(by_node.begin(), by_node.end(),
                                        [local](const std::vector<int>& members) { return members.size() == local; });
  Leaders all;
  all.local = equal ? static_cast<std::int64_t>(local) : 1;
  all.nodes = equal ? static_cast<std::int64_t>(by_node.size()) : group.size();
  for (const std::vector<int>& members : by_node) all.members.insert(all.members.end(), members.begin(), members.end());
  return std::make_shared<const Leaders>(std::move(all));
}

}  // namespace models
