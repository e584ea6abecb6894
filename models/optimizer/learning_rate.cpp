#include "models/optimizer/learning_rate.hpp"

#include <algorithm>
#include <string_view>

#include "models/base/elementary.hpp"
#include "models/base/params.hpp"

namespace models {
namespace {

enum class Shape : std::size_t { constant, cosine, linear };
constexpr std::string_view shape_names[] = {"constant", "cosine", "linear"};

struct Rate {
  double peak = 0.0, final = 0.0;
  Shape shape = Shape::constant;
  std::int64_t warmup_steps = 0;

  double operator()(std::int64_t step, std::int64_t steps) const {
    if (step < warmup_steps) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
    if (shape == Shape::constant) return peak;
    const double length = static_cast<double>(std::max<std::int64_t>(1, steps - warmup_steps));
    const double t = std::min(1.0, static_cast<double>(step - warmup_steps) / length);
    const double share = shape == Shape::linear ? 1.0 - t : 0.5 * (1.0 + cosine_of_turns(0.5 * t));
    return final + (peak - final) * share;
  }
};

}  // namespace

std::optional<Schedule1D> read_learning_rate(Params& params) {
  constexpr std::string_view key = "learning_rate";
  if (!params.has(key)) return {};
  if (params.describing() || params.kind_of(key) != NodeKind::mapping) {
    const Rate rate{
        .peak = params.number(key, positive, "learning rate, or a mapping with peak, schedule, warmup_steps, final")};
    if (!params.describing()) return rate;
  }
  Params section = params.section(key, "learning rate over the run");
  const double peak = section.number("peak", positive, "highest learning rate");
  const auto shape = static_cast<Shape>(section.choice("schedule", shape_names, "from the peak to the end", 0));
  const std::int64_t warmup = section.count("warmup_steps", not_negative, "steps of a linear rise to the peak", 0);
  const double final = section.number("final", not_negative, "learning rate at the run's end", 0.0);
  if (final > peak) section.report("final", "the final learning rate exceeds the peak");
  return Rate{peak, final, shape, warmup};
}

}  // namespace models
