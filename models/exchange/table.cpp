#include "models/exchange/exchange.hpp"

namespace models {

ExchangeMaker read_all_reduce(Params& params);
ExchangeMaker read_compressed_all_gather(Params& params);
ExchangeMaker read_compressed_shards(Params& params);
ExchangeMaker read_two_sided_compressed(Params& params);

const Table<ExchangeMaker>& exchanges() {
  static constexpr Row<ExchangeMaker> rows[] = {
      {"all_reduce", "average in full precision, element by element [definition]", read_all_reduce},
      {"compressed_all_gather", "everybody sends its code to everybody [Stich et al., MEM-SGD, NeurIPS 2018]",
       read_compressed_all_gather},
      {"compressed_shards",
       "codes to the ranks that serve a chunk each, codes of the averages back, both sides keep errors [Tang et al., "
       "DoubleSqueeze, ICML 2019]",
       read_compressed_shards},
      {"two_sided_compressed",
       "signs both ways, each rank serves one chunk, both sides keep residuals [Tang et al., 1-bit Adam, ICML 2021]",
       read_two_sided_compressed},
  };
  static constexpr Table<ExchangeMaker> table("exchange", rows);
  return table;
}

}  // namespace models
