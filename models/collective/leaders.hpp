#pragma once
// Groups whose nodes each have a leader, its first member.

#include <cstdint>
#include <memory>
#include <vector>

#include "models/collective/collective.hpp"

namespace models {

// members[j * local + l]: the group index of local member l of node j, nodes in order of first appearance.
struct Leaders {
  std::int64_t nodes = 0, local = 0;
  std::vector<int> members;
  int at(std::int64_t node, std::int64_t l) const { return members[static_cast<std::size_t>(node * local + l)]; }
  int leader(std::int64_t node) const { return at(node, 0); }
};
// Nodes of unequal sizes, or only one: every member is a node of its own.
std::shared_ptr<const Leaders> leaders_of(const Group& group);

}  // namespace models
