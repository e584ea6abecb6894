// Workers send signs, the server answers with the sign of their sum; x = x - lr sign.
// Bernstein, Wang, Azizzadenesheli, Anandkumar: signSGD, ICML 2018, algorithm 2 (majority vote). The server is sharded
// over the ranks; ties are broken at random.

#include "models/algorithm/exchanged.hpp"
#include "models/base/error.hpp"
#include "models/exchange/compressed_shards.hpp"

namespace models {

AlgorithmSpec read_sign_sgd(Params& params) {
  const Row<OptimizerMaker>* sgd = optimizers().find("sgd");
  const Row<CompressorMaker>* sign = compressors().find("sign");
  ensure(sgd != nullptr && sign != nullptr, "there are an optimizer sgd and a compressor sign");
  ShardOptions options;
  options.compressor = sign->read(params);
  options.error_feedback = ErrorFeedback::none;
  const ExchangeMaker exchange = [options](const ExchangeWorld& world) {
    return std::make_unique<CompressedShards>(options, world);
  };
  return exchanged(params, exchange, sgd->read(params), options.compressor);
}

}  // namespace models
