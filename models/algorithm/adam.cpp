// Data parallel Adam: the optimizer of that name on the averaged gradient.

#include "models/algorithm/data_parallel.hpp"
#include "models/base/error.hpp"

namespace models {

AlgorithmSpec read_adam(Params& params) {
  const Row<OptimizerMaker>* adam = optimizers().find("adam");
  ensure(adam != nullptr, "there is an optimizer adam");
  return data_parallel(params, adam->read(params));
}

}  // namespace models
