#pragma once
// Members of a group by node, and parts of parts of a vector.

#include <cstdint>
#include <vector>

#include "models/collective/collective.hpp"

namespace models {

// Group indices of each node's members; nodes in order of first appearance. Throws Bug when a member has no node.
std::vector<std::vector<int>> members_by_node(const Group& group);
std::int64_t smallest(const std::vector<std::vector<int>>& nodes);  // members of the smallest node

constexpr std::int64_t wrapped(std::int64_t i, std::int64_t n) { return ((i % n) + n) % n; }
// Part i of `parts` of a range, as slice() cuts it.
ElementRange part_of(ElementRange range, std::int64_t parts, std::int64_t i);

}  // namespace models
