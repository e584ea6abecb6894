#pragma once
// Builder: one shape per file; a row reads its keys and gives a pure function that makes the graph.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/base/table.hpp"
#include "topologies/fabric/spread.hpp"
#include "topologies/fabric/world.hpp"
#include "topologies/link/link.hpp"

namespace topologies {

struct BuilderSpec {
  int hosts = 0;
  int nodes = 0;
  std::vector<LinkWish> links;                                      // the first is the one to name in a headline
  std::function<Blueprint(std::span<const LinkProperties>)> build;  // properties in the order of `links`, completed
  std::string description;                                          // "16 nodes x 4"
  std::string key;                                                  // equal keys and links build equal graphs
  std::vector<Omission> not_modelled;
};
// star, star_of_nodes, leaf_spine, rail_optimized, fat_tree, dragonfly, ring, full, torus, hypercube, expander, wan,
// file.
const models::Table<BuilderSpec>& builders();

// All but wan, whose sites they are.
const models::Table<BuilderSpec>& site_builders();

// For rows:
inline constexpr double most_hosts = 1 << 20;

// Cables laid one after another with the same properties: link ids by arithmetic.
struct CableRun {
  LinkId first = 0;
  LinkId links = 2;  // per cable: 1 when half duplex
  static CableRun next(const Fabric& fabric, Duplex duplex) {
    return {static_cast<LinkId>(fabric.links().size()), duplex == Duplex::full ? 2 : 1};
  }
  LinkId there(std::int64_t cable) const { return static_cast<LinkId>(first + links * cable); }
  LinkId back(std::int64_t cable) const { return there(cable) + links - 1; }
};

// Of hosts i < j among n joined each to each: cables laid row by row.
constexpr std::int64_t cable_between(std::int64_t i, std::int64_t j, std::int64_t n) {
  return i * (2 * n - i - 1) / 2 + j - i - 1;
}

// Key gpus_per_node of shapes whose nodes are groups of consecutive hosts; gives the node of each host.
std::vector<int> read_grouping(models::Params& params, int hosts);
int node_count(const std::vector<int>& node);

// A torus, which a ring and a hypercube are too: dimension-order routes, the shorter way round; hashed: dimensions in a
// random order.
BuilderSpec torus_of(std::vector<int> sizes, LinkWish link, std::vector<int> node, Spread spread);

}  // namespace topologies
