#include "models/collective/collective.hpp"

namespace models {

CollectiveAlgorithm read_ring(Params&);
CollectiveAlgorithm read_multi_ring(Params&);
CollectiveAlgorithm read_hierarchical_ring(Params&);
CollectiveAlgorithm read_hierarchical(Params&);
CollectiveAlgorithm read_tree(Params&);
CollectiveAlgorithm read_double_binary_tree(Params&);
CollectiveAlgorithm read_recursive_halving_doubling(Params&);
CollectiveAlgorithm read_rabenseifner(Params&);
CollectiveAlgorithm read_parameter_server(Params&);
CollectiveAlgorithm read_pairwise(Params&);
CollectiveAlgorithm read_direct(Params&);
CollectiveAlgorithm read_bruck(Params&);
CollectiveAlgorithm read_linear(Params&);
CollectiveAlgorithm read_binomial_tree(Params&);
CollectiveAlgorithm read_chain(Params&);
CollectiveAlgorithm read_scatter_all_gather(Params&);
CollectiveAlgorithm read_nccl_ring(Params&);
CollectiveAlgorithm read_byteps(Params&);

const Table<CollectiveAlgorithm>& collectives() {
  static const Row<CollectiveAlgorithm> rows[] = {
      {"ring",
       "all-reduce, reduce-scatter, all-gather: each member sends to its successor, n-1 rounds each way (Patarasuk and "
       "Yuan, JPDC 2009)",
       read_ring},
      {"multi_ring",
       "all-reduce, reduce-scatter, all-gather: rings that leave a node by different members, a share each (NCCL's "
       "channels)",
       read_multi_ring},
      {"hierarchical_ring",
       "all-reduce, reduce-scatter, all-gather: rings inside nodes, then over nodes per part (Ueno and Yokota, CCGRID "
       "2019)",
       read_hierarchical_ring},
      {"hierarchical",
       "all-reduce: rings inside nodes, inside pods of nodes, over pods (Ueno and Yokota, CCGRID 2019; Cho et al., "
       "BlueConnect, 2019)",
       read_hierarchical},
      {"tree", "all-reduce, reduce, broadcast: one binary tree to a root and back, in chunks (Chan et al., CCPE 2007)",
       read_tree},
      {"double_binary_tree",
       "all-reduce: two binary trees over nodes, chains inside, half of the vector each, in chunks (Sanders, Speck and "
       "Traff, 2009; NCCL)",
       read_double_binary_tree},
      {"recursive_halving_doubling",
       "all-reduce, reduce-scatter, all-gather in log2 n rounds each way (Thakur et al., IJHPCA 2005)",
       read_recursive_halving_doubling},
      {"rabenseifner",
       "all-reduce, reduce: recursive halving, then doubling or a gather; leftover members halve first (Rabenseifner, "
       "ICCS 2004)",
       read_rabenseifner},
      {"parameter_server",
       "all-reduce: push shards to servers, pull the sums; servers dedicated or on members (Li et al., OSDI 2014)",
       read_parameter_server},
      {"pairwise",
       "all-to-all in n-1 rounds, member i sends to i + r; neighbour exchange by shifts (Thakur et al., IJHPCA 2005)",
       read_pairwise},
      {"direct",
       "all-to-all, all-gather, reduce-scatter, send/recv, neighbour exchange in one round, every message at once "
       "(NCCL "
       "user guide, Point-to-point communication)",
       read_direct},
      {"bruck", "all-gather, all-to-all in ceil(log2 n) rounds (Bruck et al., IEEE TPDS 1997)", read_bruck},
      {"linear", "gather, scatter, reduce, broadcast: everyone and the root at once (Chan et al., CCPE 2007)",
       read_linear},
      {"binomial_tree", "broadcast, reduce, gather, scatter in ceil(log2 n) rounds (Thakur et al., IJHPCA 2005)",
       read_binomial_tree},
      {"chain", "broadcast, reduce along one chain of all members, in chunks (Chan et al., CCPE 2007; NCCL)",
       read_chain},
      {"scatter_all_gather",
       "broadcast, reduce: binomial scatter and ring all-gather, or the reverse (Barnett et al., SHPCC 1994)",
       read_scatter_all_gather},
      {"nccl_ring",
       "all-reduce: NCCL's flat ring seen from the network cards, one connection into and out of each node (Jeaugey, "
       "GTC 2017)",
       read_nccl_ring},
      {"byteps",
       "all-reduce: nodes reduce inside, leaders push shards to servers beside them and pull the sums (Jiang et al., "
       "BytePS, OSDI 2020)",
       read_byteps},
  };
  static const Table<CollectiveAlgorithm> table{"collective algorithm", rows};
  return table;
}

}  // namespace models
