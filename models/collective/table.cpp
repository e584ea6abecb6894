#include "models/collective/collective.hpp"

namespace models {

CollectiveAlgorithm read_ring(Params&);
CollectiveAlgorithm read_hierarchical_ring(Params&);
CollectiveAlgorithm read_pairwise(Params&);
CollectiveAlgorithm read_direct(Params&);
CollectiveAlgorithm read_binomial_tree(Params&);

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
       "all-to-all, all-gather, reduce-scatter in one round, everyone to everyone at once (framework isend/irecv)",
       read_direct},
      {"binomial_tree", "broadcast in ceil(log2 n) rounds (Thakur et al., IJHPCA 2005)", read_binomial_tree},
  };
  static const Table<CollectiveAlgorithm> table{"collective algorithm", rows};
  return table;
}

}  // namespace models
