#include "analysis/statistics/summary.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/format.hpp"
#include "models/base/error.hpp"

namespace analysis {
namespace {

std::optional<Spread> over(const Group& group, const std::string& metric, bool all_must_have) {
  Spread found;
  double sum = 0.0;
  for (const sim::Run* run : group.runs) {
    const sim::Metric* value = run->result.metric(metric);
    if (!value || !value->value || !std::isfinite(*value->value)) {
      if (all_must_have) return {};
      continue;
    }
    found.low = found.count == 0 ? *value->value : std::min(found.low, *value->value);
    found.high = found.count == 0 ? *value->value : std::max(found.high, *value->value);
    sum += *value->value;
    ++found.count;
  }
  if (found.count == 0) return {};
  found.mean = sum / static_cast<double>(found.count);
  return found;
}

std::optional<double> ratio(const std::optional<Spread>& base, const std::optional<Spread>& ours) {
  if (!base || !ours || ours->mean <= 0.0) return {};
  return base->mean / ours->mean;
}

}  // namespace

double percentile(std::span<const double> sorted, double share) {
  models::ensure(!sorted.empty(), "a percentile needs values");
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

bool same_point(const std::vector<sim::PointValue>& a, const std::vector<sim::PointValue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const sim::PointValue& x, const sim::PointValue& y) {
    return x.key == y.key && x.text == y.text;
  });
}

std::vector<Group> grouped(std::span<const sim::Run> runs) {
  std::vector<Group> groups;
  for (const sim::Run& run : runs) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.variant() == run.variant && same_point(group.point(), run.point);
    });
    if (found == groups.end())
      groups.push_back(Group{{&run}});
    else
      found->runs.push_back(&run);
  }
  return groups;
}

std::optional<Spread> spread(const Group& group, const std::string& metric) { return over(group, metric, false); }
std::optional<Spread> spread_of_all(const Group& group, const std::string& metric) { return over(group, metric, true); }
bool overlap(const Spread& a, const Spread& b) { return a.low <= b.high && b.low <= a.high; }

SpeedUp speed_up(const Group& base, const Group& ours) {
  SpeedUp found;
  const auto base_time = spread_of_all(base, "time_to_target_s"), our_time = spread_of_all(ours, "time_to_target_s");
  found.total = ratio(base_time, our_time);
  found.steps = ratio(spread_of_all(base, "steps_to_target"), spread_of_all(ours, "steps_to_target"));
  const auto base_step = spread(base, "step_time_s"), our_step = spread(ours, "step_time_s");
  found.per_step = found.total && found.steps ? std::optional(*found.total / *found.steps) : ratio(base_step, our_step);
  const bool by_target = base_time || our_time;
  const auto& base_measure = by_target ? base_time : base_step;
  const auto& our_measure = by_target ? our_time : our_step;
  if (base_measure && our_measure) {
    if (!overlap(*base_measure, *our_measure))
      found.winner = our_measure->mean < base_measure->mean ? ours.variant() : base.variant();
  } else if (by_target &&
             !spread(our_time ? base : ours, "time_to_target_s")) {  // the other never got there, in no repeat
    found.winner = our_time ? ours.variant() : base.variant();
  }
  return found;
}

std::string sentence(const SpeedUp& found) {
  if (found.total && found.steps)
    return significant(*found.total, 2) + "x to target = " + significant(*found.per_step, 2) +
           "x per step (timing, mean to it) x " + significant(*found.steps, 2) + " (steps, synthetic)";
  if (found.per_step) return significant(*found.per_step, 2) + "x per step (timing)";
  return "no step time to compare";
}

std::vector<std::string> short_keys(const std::vector<sim::PointValue>& point) {
  const auto tail = [](const std::string& key, std::size_t parts) {
    std::size_t at = key.size();
    for (std::size_t i = 0; i < parts && at != std::string::npos; ++i)
      at = at == 0 ? std::string::npos : key.rfind('.', at - 1);
    return at == std::string::npos ? key : key.substr(at + 1);
  };
  std::vector<std::string> names;
  for (const sim::PointValue& value : point) {
    std::size_t parts = 1;
    const auto ambiguous = [&] {
      return std::any_of(point.begin(), point.end(), [&](const sim::PointValue& other) {
        return other.key != value.key && tail(other.key, parts) == tail(value.key, parts) &&
               tail(value.key, parts) != value.key;
      });
    };
    while (ambiguous()) ++parts;
    names.push_back(tail(value.key, parts));
  }
  return names;
}

std::string point_text(const std::vector<sim::PointValue>& point) {
  std::string all;
  for (const sim::PointValue& value : point) all += (all.empty() ? "" : ", ") + value.text;
  return all;
}

std::optional<double> swept_number(const sim::PointValue& value) {
  if (!value.unit.empty() || value.value != 0.0) return value.value;
  const bool zero = !value.text.empty() && value.text.find_first_not_of("0.") == std::string::npos;
  return zero ? std::optional(0.0) : std::nullopt;
}

}  // namespace analysis
