// Data parallel Adam with 8-bit states: the optimizer of that name on the averaged gradient.

#include "models/algorithm/data_parallel.hpp"
#include "models/base/error.hpp"

namespace models {

AlgorithmSpec read_adam_8bit(Params& params) {
  const Row<OptimizerMaker>* adam_8bit = optimizers().find("adam_8bit");
  ensure(adam_8bit != nullptr, "there is an optimizer adam_8bit");
  return data_parallel(params, adam_8bit->read(params));
}

}  // namespace models
