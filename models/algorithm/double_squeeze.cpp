// SGD through a parameter server, compressed both ways, both sides keeping what their codes missed:
//   worker  v_i = g_i + d_i; send C(v_i); d_i = v_i - C(v_i)
//   server  v = (1/n) sum_i C(v_i) + d; send C(v); d = v - C(v)
//   all     x = x - lr C(v)
// Tang, Yu, Lian, Zhang, Liu: DoubleSqueeze, ICML 2019, algorithm 1. The server is sharded over the ranks.

#include "models/algorithm/exchanged.hpp"
#include "models/base/error.hpp"
#include "models/exchange/compressed_shards.hpp"

namespace models {

AlgorithmSpec read_double_squeeze(Params& params) {
  const Row<OptimizerMaker>* sgd = optimizers().find("sgd");
  ensure(sgd != nullptr, "there is an optimizer sgd");
  const ShardOptions options = read_shard_options(params);
  const ExchangeMaker exchange = [options](const ExchangeWorld& world) {
    return std::make_unique<CompressedShards>(options, world);
  };
  return exchanged(params, exchange, sgd->read(params), options.compressor);
}

}  // namespace models
