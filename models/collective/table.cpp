#include "models/collective/collective.hpp"

namespace models {

CollectiveAlgorithm read_ring(Params&);
CollectiveAlgorithm read_hierarchical_ring(Params&);
CollectiveAlgorithm read_pairwise(Params&);
CollectiveAlgorithm read_direct(Params&);
CollectiveAlgorithm read_binomial_tree(Params&);
CollectiveAlgorithm read_linear(Params&);

const Table<CollectiveAlgorithm>& collectives() {
  static const Row<CollectiveAlgorithm> rows[] = {
      {"ring",
       "all-reduce, reduce-scatter, all-gather: each member sends to its successor, n-1 rounds each way (Patarasuk and "
       "Yuan, JPDC 2009)",
       read_ring},
      {"hierarchical_ring",
       "all-reduce: ring inside each node, then over nodes per local index, then inside (Ueno and Yokota, CCGRID 2019)",
       read_hierarchical_ring},
      {"pairwise", "all-to-all in n-1 rounds, member i sends to i + r (Thakur et al., IJHPCA 2005)", read_pairwise},
      {"direct",
       "all-to-all, all-gather, reduce-scatter, send/recv, neighbour exchange in one round, every message at once (NCCL "
       "user guide, Point-to-point communication)",
       read_direct},
      {"linear", "gather, scatter, reduce, broadcast: everyone and the root at once (Chan et al., CCPE 2007)",
       read_linear},
      {"binomial_tree", "broadcast, reduce, gather, scatter in ceil(log2 n) rounds (Thakur et al., IJHPCA 2005)",
       read_binomial_tree},
  };
  static const Table<CollectiveAlgorithm> table{"collective algorithm", rows};
  return table;
}

}  // namespace models
