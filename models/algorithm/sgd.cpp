// Data parallel SGD: the optimizer of that name on the averaged gradient.

#include "models/algorithm/data_parallel.hpp"
#include "models/base/error.hpp"

namespace models {

AlgorithmSpec read_sgd(Params& params) {
  const Row<OptimizerMaker>* sgd = optimizers().find("sgd");
  ensure(sgd != nullptr, "there is an optimizer sgd");
  return data_parallel(params, sgd->read(params));
}

}  // namespace models
