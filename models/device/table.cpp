#include <array>

#include "models/base/params.hpp"
#include "models/device/cost_model.hpp"

namespace models {

CostModel read_roofline(Params& params);

const Table<CostModel>& cost_models() {
  static constexpr std::array rows{
      Row<CostModel>{"roofline", "longer of compute and memory traffic, efficiency by shape [Williams 2009]",
                     read_roofline},
  };
  static constexpr Table<CostModel> table("cost model", rows);
  return table;
}

}  // namespace models
