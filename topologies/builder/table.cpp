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
BuilderSpec read_file(models::Params&);

const models::Table<BuilderSpec>& builders() {
  static const models::Row<BuilderSpec> rows[] = {
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
      {"file", "an explicit graph of hosts, switches and cables (topologies/*.yaml), shortest paths", read_file},
  };
  static const models::Table<BuilderSpec> table{"topology shape", rows};
  return table;
}

}  // namespace topologies
