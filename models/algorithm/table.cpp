#include "models/algorithm/algorithm.hpp"

namespace models {

AlgorithmSpec read_adam(Params& params);
AlgorithmSpec read_onebit_adam(Params& params);
AlgorithmSpec read_sgd(Params& params);

const Table<AlgorithmSpec>& algorithms() {
  static constexpr Row<AlgorithmSpec> rows[] = {
      {"adam",
       "data parallel Adam, gradient all-reduce overlapped with the backward pass [Kingma and Ba, ICLR 2015; Li et "
       "al., VLDB 2020]",
       read_adam},
      {"onebit_adam",
       "Adam until the variance is settled, then one-bit momentum with error feedback [Tang et al., ICML 2021]",
       read_onebit_adam},
      {"sgd",
       "data parallel SGD with momentum, gradient all-reduce overlapped with the backward pass [Li et al., VLDB 2020]",
       read_sgd},
  };
  static constexpr Table<AlgorithmSpec> table("algorithm", rows);
  return table;
}

}  // namespace models
