// Reduce-scatter inside each node, one ring all-reduce over the nodes per local index, all-gather inside.
// Ueno and Yokota, Exhaustive study of hierarchical AllReduce patterns for large messages between GPUs, CCGRID 2019
// (their ring-ring case).

#include <map>
#include <memory>
#include <string>

#include "models/collective/patterns.hpp"

namespace models {

namespace {

// members[j * local + l]: the group index of local member l of node j, nodes in order of first appearance.
struct Islands {
  std::int64_t nodes = 0, local = 0;
  std::vector<int> members;
  int at(std::int64_t node, std::int64_t l) const { return members[static_cast<std::size_t>(node * local + l)]; }
};

Islands islands(const Group& group) {
  ensure(group.node.size() == group.ranks.size(), "every member of a group has a node");
  std::map<int, std::size_t> index;
  std::vector<std::vector<int>> by_node;
  for (int i = 0; i < group.size(); ++i) {
    const auto [entry, fresh] = index.emplace(group.node[static_cast<std::size_t>(i)], by_node.size());
    if (fresh) by_node.emplace_back();
    by_node[entry->second].push_back(i);
  }
  Islands all{static_cast<std::int64_t>(by_node.size()), static_cast<std::int64_t>(by_node.front().size()), {}};
  for (const auto& [node, position] : index) {
    if (static_cast<std::int64_t>(by_node[position].size()) != all.local)
      throw Error(Place{},
                  "hierarchical_ring needs equally many members on every node, but node " + std::to_string(node) +
                      " has " + std::to_string(by_node[position].size()) + " and node " +
                      std::to_string(group.node.front()) + " has " + std::to_string(all.local),
                  "use the algorithm ring, which takes any placement");
  }
  for (const auto& members : by_node) all.members.insert(all.members.end(), members.begin(), members.end());
  return all;
}

constexpr std::int64_t wrapped(std::int64_t i, std::int64_t n) { return ((i % n) + n) % n; }

ElementRange part_of(ElementRange range, std::int64_t parts, std::int64_t i) {
  const ElementRange part = slice(range.count, parts, i);
  return {range.begin + part.begin, part.count};
}

// `lag` 1: reduce-scatter, member i ends with slice i; 0: all-gather, member i begins with it.
Phase inside(std::shared_ptr<const Islands> all, std::int64_t elements, std::int64_t lag, Combine combine) {
  const std::int64_t rounds = all->local - 1;
  return {rounds, pattern(PatternFamily::ring_inside_nodes),
          [all = std::move(all), elements, lag, combine](std::int64_t round, std::vector<Transfer>& out) {
            for (std::int64_t j = 0; j < all->nodes; ++j)
              for (std::int64_t l = 0; l < all->local; ++l)
                out.push_back({all->at(j, l), all->at(j, (l + 1) % all->local),
                               slice(elements, all->local, wrapped(l - round - lag, all->local)), combine});
          }};
}

Phase across(std::shared_ptr<const Islands> all, std::int64_t elements, std::int64_t lag, Combine combine) {
  const std::int64_t rounds = all->nodes - 1;
  return {
      rounds, pattern(PatternFamily::ring_across_nodes),
      [all = std::move(all), elements, lag, combine](std::int64_t round, std::vector<Transfer>& out) {
        for (std::int64_t j = 0; j < all->nodes; ++j)
          for (std::int64_t l = 0; l < all->local; ++l)
            out.push_back({all->at(j, l), all->at((j + 1) % all->nodes, l),
                           part_of(slice(elements, all->local, l), all->nodes, wrapped(j - round - lag, all->nodes)),
                           combine});
      }};
}

Schedule schedule(const Group& group, const Demand& demand) {
  ensure(demand.kind == CollectiveKind::all_reduce, "hierarchical_ring is an all-reduce");
  if (group.size() < 2 || demand.elements == 0) return {};
  const auto all = std::make_shared<const Islands>(islands(group));
  Schedule phases;
  if (all->local > 1) phases.push_back(inside(all, demand.elements, 1, Combine::add));
  if (all->nodes > 1) {
    phases.push_back(across(all, demand.elements, 1, Combine::add));
    phases.push_back(across(all, demand.elements, 0, Combine::copy));
  }
  if (all->local > 1) phases.push_back(inside(all, demand.elements, 0, Combine::copy));
  return phases;
}

}  // namespace

CollectiveAlgorithm read_hierarchical_ring(Params&) { return {{CollectiveKind::all_reduce}, schedule}; }

}  // namespace models
