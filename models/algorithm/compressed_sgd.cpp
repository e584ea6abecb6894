// SGD on gradients that everybody sends compressed to everybody, with errors kept or not: MEM-SGD, top-k, QSGD,
// TernGrad. Stich, Cordonnier, Jaggi: Sparsified SGD with memory, NeurIPS 2018, algorithm 1.

#include "models/algorithm/exchanged.hpp"
#include "models/base/error.hpp"
#include "models/exchange/compressed_all_gather.hpp"

namespace models {

AlgorithmSpec read_compressed_sgd(Params& params) {
  const Row<OptimizerMaker>* sgd = optimizers().find("sgd");
  ensure(sgd != nullptr, "there is an optimizer sgd");
  const GatherOptions options = read_gather_options(params);
  return exchanged(params, compressed_all_gather(options), sgd->read(params), options.compressor);
}

}  // namespace models
