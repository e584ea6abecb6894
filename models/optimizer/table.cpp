#include "models/optimizer/optimizer.hpp"

namespace models {

OptimizerMaker read_adam_optimizer(Params& params);
OptimizerMaker read_adam_8bit_optimizer(Params& params);
OptimizerMaker read_lamb_optimizer(Params& params);
OptimizerMaker read_lars_optimizer(Params& params);
OptimizerMaker read_sgd_optimizer(Params& params);

const Table<OptimizerMaker>& optimizers() {
  static constexpr Row<OptimizerMaker> rows[] = {
      {"adam",
       "moving averages of gradient and square, decoupled weight decay [Kingma and Ba, ICLR 2015; Loshchilov and "
       "Hutter, ICLR 2019]",
       read_adam_optimizer},
      {"adam_8bit", "Adam with averages in 8-bit blocks [Dettmers et al., ICLR 2022]", read_adam_8bit_optimizer},
      {"lamb", "Adam's update scaled to the norm of each layer [You et al., ICLR 2020]", read_lamb_optimizer},
      {"lars", "momentum SGD with a rate of its own for each layer [You et al., arXiv:1708.03888]",
       read_lars_optimizer},
      {"sgd",
       "gradient descent with heavy-ball or Nesterov momentum, as PyTorch has it [Polyak 1964; Sutskever et al., ICML "
       "2013]",
       read_sgd_optimizer},
  };
  static constexpr Table<OptimizerMaker> table("optimizer", rows);
  return table;
}

}  // namespace models
