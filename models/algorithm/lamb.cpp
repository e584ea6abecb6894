// Data parallel LAMB: the optimizer of that name on the averaged gradient.

#include "models/algorithm/data_parallel.hpp"
#include "models/base/error.hpp"

namespace models {

AlgorithmSpec read_lamb(Params& params) {
  const Row<OptimizerMaker>* lamb = optimizers().find("lamb");
  ensure(lamb != nullptr, "there is an optimizer lamb");
  AlgorithmSpec spec = data_parallel(params, lamb->read(params));
  spec.scaling = Scaling::shape;  // norms of layers do not transfer from a small image
  return spec;
}

}  // namespace models
