#include <array>

#include "models/architecture/cnn.hpp"
#include "models/architecture/step_plan.hpp"
#include "models/architecture/transformer.hpp"
#include "models/base/params.hpp"

namespace models {

std::unique_ptr<const Architecture> read_architecture(Params& params) {
  enum class Family { transformer, cnn };
  static constexpr std::array<std::string_view, 2> names{"transformer", "cnn"};
  const auto family = static_cast<Family>(params.choice("family", names, "what the other keys describe"));
  if (family == Family::cnn) return read_cnn(params);
  return read_transformer(params);
}

}  // namespace models
