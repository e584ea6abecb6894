// Data parallel LARS: the optimizer of that name on the averaged gradient.

#include "models/algorithm/data_parallel.hpp"
#include "models/base/error.hpp"

namespace models {

AlgorithmSpec read_lars(Params& params) {
  const Row<OptimizerMaker>* lars = optimizers().find("lars");
  ensure(lars != nullptr, "there is an optimizer lars");
  AlgorithmSpec spec = data_parallel(params, lars->read(params));
  spec.scaling = Scaling::shape;  // norms of layers do not transfer from a small image
  return spec;
}

}  // namespace models
