#include "models/objective/objective.hpp"

namespace models {

ObjectiveSpec read_quadratic(Params& params);
ObjectiveSpec read_layered_quadratic(Params& params);
ObjectiveSpec read_logistic_regression(Params& params);

const Table<ObjectiveSpec>& objectives() {
  static constexpr Row<ObjectiveSpec> rows[] = {
      {"quadratic", "diagonal quadratic of stated curvature, known optimum [definition]", read_quadratic},
      {"layered_quadratic", "the same with one curvature range per model layer, known optimum [definition]",
       read_layered_quadratic},
      {"logistic_regression",
       "regularised logistic regression on drawn or LIBSVM rows, split over the workers [Chang and Lin, LIBSVM, 2011]",
       read_logistic_regression},
  };
  static constexpr Table<ObjectiveSpec> table("objective", rows);
  return table;
}

}  // namespace models
