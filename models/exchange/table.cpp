#include "models/exchange/exchange.hpp"

namespace models {

ExchangeMaker read_all_reduce(Params& params);
ExchangeMaker read_two_sided_compressed(Params& params);

const Table<ExchangeMaker>& exchanges() {
  static constexpr Row<ExchangeMaker> rows[] = {
      {"all_reduce", "average in full precision, element by element [definition]", read_all_reduce},
      {"two_sided_compressed",
       "signs both ways, each rank serves one chunk, both sides keep residuals [Tang et al., 1-bit Adam, ICML 2021]",
       read_two_sided_compressed},
  };
  static constexpr Table<ExchangeMaker> table("exchange", rows);
  return table;
}

}  // namespace models
