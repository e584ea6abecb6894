#include "topologies/builder/builder.hpp"

namespace topologies {

BuilderSpec read_star(models::Params&);
BuilderSpec read_star_of_nodes(models::Params&);
BuilderSpec read_ring_of_hosts(models::Params&);
BuilderSpec read_full(models::Params&);
BuilderSpec read_torus(models::Params&);
BuilderSpec read_fat_tree(models::Params&);
BuilderSpec read_leaf_spine(models::Params&);
BuilderSpec read_rail_optimized(models::Params&);
BuilderSpec read_dragonfly(models::Params&);
BuilderSpec read_hypercube(models::Params&);
BuilderSpec read_expander(models::Params&);
BuilderSpec read_file(models::Params&);
BuilderSpec read_wan(models::Params&);

namespace {

std::span<const models::Row<BuilderSpec>> rows() {
  static const models::Row<BuilderSpec> all[] = {
      {"star", "nodes of one GPU round a switch that does not block and adds no latency; a route is two links",
       read_star},
      {"star_of_nodes",
       "nodes of several GPUs, joined inside by one switch and outside by one more through their NICs; neither blocks "
       "(DGX-like islands)",
       read_star_of_nodes},
      {"ring", "hosts in a circle; traffic takes the shorter way round", read_ring_of_hosts},
      {"full", "a cable between every two hosts", read_full},
      {"torus", "a grid that wraps round, dimension-order routes (Dally and Seitz, IEEE ToC 1987)", read_torus},
      {"fat_tree",
       "k-ary fat tree of two or three levels, oversubscribed or not, ways up by destination (Al-Fares et al., SIGCOMM "
       "2008)",
       read_fat_tree},
      {"leaf_spine", "nodes under leaf switches, every leaf joined to every spine (Clos, BSTJ 1953)", read_leaf_spine},
      {"rail_optimized",
       "GPU i of every node on rail switch i, spines above, messages may change rails inside a node (NVIDIA DGX "
       "SuperPOD; NCCL 2.12 PXN)",
       read_rail_optimized},
      {"dragonfly",
       "groups of routers, all joined inside, every two groups joined by global links; minimal or Valiant routes (Kim "
       "et al., ISCA 2008)",
       read_dragonfly},
      {"hypercube", "2^d hosts, joined where one bit of their numbers differs, e-cube routes (Seitz, CACM 1985)",
       read_hypercube},
      {"expander",
       "a random regular graph of hosts, or the exponential graph of decentralised training (Ying et al., NeurIPS "
       "2021)",
       read_expander},
      {"file", "an explicit graph of hosts, switches and cables (topologies/*.yaml), shortest paths", read_file},
      {"wan", "sites of any shape, joined by inter_site links: each to each, through a hub, or as listed", read_wan},
  };
  return all;
}

}  // namespace

const models::Table<BuilderSpec>& builders() {
  static const models::Table<BuilderSpec> table{"topology shape", rows()};
  return table;
}

const models::Table<BuilderSpec>& site_builders() {
  static const models::Table<BuilderSpec> table{"site shape", rows().first(rows().size() - 1)};
  return table;
}

}  // namespace topologies
