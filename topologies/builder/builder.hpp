#pragma once
// Builder: one shape per file; a row reads its keys and gives a pure function that makes the graph.

#include <functional>
#include <string>

#include "models/base/table.hpp"
#include "topologies/fabric/world.hpp"

namespace topologies {

struct BuilderSpec {
  int hosts = 0;
  std::function<Blueprint()> build;
  std::string description;
};
// star, star_of_nodes, ring, full, torus, fat_tree, file. A row's reader may use read_link(params, "link").
const models::Table<BuilderSpec>& builders();

// A link preset, inline mapping or {preset: ..., bandwidth: ...}: keys bandwidth, latency | rtt, duplex, transport.
LinkProperties read_link(models::Params& params, std::string_view key, std::string_view help);

}  // namespace topologies
