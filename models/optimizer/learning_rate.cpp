#include "models/optimizer/learning_rate.hpp"

#include <algorithm>
#include <string_view>

#include "models/base/elementary.hpp"
#include "models/base/params.hpp"

namespace models {
namespace {

enum class Shape : std::size_t { constant, cosine, linear, polynomial };
constexpr std::string_view shape_names[] = {"constant", "cosine", "linear", "polynomial"};

struct Rate {
  double peak = 0.0, final = 0.0;
  Shape shape = Shape::constant;
  std::int64_t warmup_steps = 0;
  double power_of_rest = 1.0;
  double start = 0.0;  // of the warm-up

  double operator()(std::int64_t step, std::int64_t steps) const {
    if (step < warmup_steps)
      return start + (peak - start) * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
    if (shape == Shape::constant) return peak;
    const double length = static_cast<double>(std::max<std::int64_t>(1, steps - warmup_steps));
    const double t = std::min(1.0, static_cast<double>(step - warmup_steps) / length);
    double share = 1.0 - t;
    if (shape == Shape::cosine) share = 0.5 * (1.0 + cosine_of_turns(0.5 * t));
    if (shape == Shape::polynomial) share = t < 1.0 ? power(1.0 - t, power_of_rest) : 0.0;
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
  constexpr double usual_power = 2.0, most_power = 10.0;
  const double exponent = section.number("power", {0.0, most_power, Range::Ends::open_low},
                                         "of schedule polynomial: (share of the steps left) ^ power", usual_power);
  const double start = section.number("start", not_negative, "learning rate before the warm-up", 0.0);
  if (start > peak) section.report("start", "the learning rate before the warm-up exceeds the peak");
  if (final > peak) section.report("final", "the final learning rate exceeds the peak");
  return Rate{peak, final, shape, warmup, exponent, start};
}

}  // namespace models
