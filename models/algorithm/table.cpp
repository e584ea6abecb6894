#include "models/algorithm/algorithm.hpp"

namespace models {

AlgorithmSpec read_adam(Params& params);
AlgorithmSpec read_adam_8bit(Params& params);
AlgorithmSpec read_compressed_sgd(Params& params);
AlgorithmSpec read_double_squeeze(Params& params);
AlgorithmSpec read_error_compensated_x(Params& params);
AlgorithmSpec read_lamb(Params& params);
AlgorithmSpec read_lars(Params& params);
AlgorithmSpec read_onebit_adam(Params& params);
AlgorithmSpec read_sgd(Params& params);
AlgorithmSpec read_sign_sgd(Params& params);

const Table<AlgorithmSpec>& algorithms() {
  static constexpr Row<AlgorithmSpec> rows[] = {
      {"adam",
       "data parallel Adam, gradient all-reduce overlapped with the backward pass [Kingma and Ba, ICLR 2015; Li et "
       "al., VLDB 2020]",
       read_adam},
      {"adam_8bit", "data parallel Adam with averages in 8-bit blocks [Dettmers et al., ICLR 2022]", read_adam_8bit},
      {"compressed_sgd", "SGD on gradients sent compressed to everybody, errors kept [Stich et al., NeurIPS 2018]",
       read_compressed_sgd},
      {"double_squeeze", "SGD through sharded servers, compressed both ways, errors kept [Tang et al., ICML 2019]",
       read_double_squeeze},
      {"error_compensated_x", "momentum SGD, compressed both ways, errors of two steps [Tang et al., NeurIPS 2021]",
       read_error_compensated_x},
      {"lamb", "data parallel LAMB [You et al., ICLR 2020]", read_lamb},
      {"lars", "data parallel LARS [You et al., arXiv:1708.03888]", read_lars},
      {"onebit_adam",
       "Adam until the variance is settled, then one-bit momentum with error feedback [Tang et al., ICML 2021]",
       read_onebit_adam},
      {"sgd",
       "data parallel SGD with momentum, gradient all-reduce overlapped with the backward pass [Li et al., VLDB 2020]",
       read_sgd},
      {"sign_sgd", "signs both ways, majority vote [Bernstein et al., ICML 2018]", read_sign_sgd},
  };
  static constexpr Table<AlgorithmSpec> table("algorithm", rows);
  return table;
}

}  // namespace models
