#include "analysis/page/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "analysis/statistics/run_tables.hpp"
#include "analysis/verify/expression.hpp"

namespace analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_curve_points = 1000;
constexpr std::size_t most_points_in_all = 200000;  // of all curves of a page, so that it opens at once
constexpr std::size_t most_links = 20;
constexpr double gibibyte = 1073741824.0;

// Six digits are more than a screen shows.
Json rounded(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", *value).c_str(), nullptr);
}

// Indices that keep the shape: of every stretch its lowest and its highest value, in order; the first and the last
// stay.
std::vector<std::size_t> thinned(const std::vector<double>& values, std::size_t most) {
  std::vector<std::size_t> kept;
  if (values.size() <= most) {
    for (std::size_t i = 0; i < values.size(); ++i) kept.push_back(i);
    return kept;
  }
  const std::size_t stretches = std::max<std::size_t>(1, (most - 2) / 2);
  kept.push_back(0);
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = 1 + s * (values.size() - 2) / stretches,
                      end = 1 + (s + 1) * (values.size() - 2) / stretches;
    if (begin == end) continue;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin),
               last = values.begin() + static_cast<std::ptrdiff_t>(end);
    const auto low = static_cast<std::size_t>(std::min_element(first, last) - values.begin());
    const auto high = static_cast<std::size_t>(std::max_element(first, last) - values.begin());
    kept.push_back(std::min(low, high));
    if (low != high) kept.push_back(std::max(low, high));
  }
  kept.push_back(values.size() - 1);
  return kept;
}

std::optional<std::size_t> column_of(const sim::Series& series, const std::string& name) {
  const auto found = std::find(series.columns.begin(), series.columns.end(), name);
  if (found == series.columns.end()) return {};
  return static_cast<std::size_t>(found - series.columns.begin());
}

Json curve_json(const sim::Series& series, std::size_t most) {
  const auto step = column_of(series, "step"), time = column_of(series, "time_s"), gap = column_of(series, "gap");
  if (!step || !time || !gap) return nullptr;
  std::vector<const std::vector<std::optional<double>>*> rows;
  std::vector<double> gaps;
  for (const auto& row : series.rows)
    if (row[*step] && row[*time] && row[*gap] && std::isfinite(*row[*gap])) {
      rows.push_back(&row);
      gaps.push_back(*row[*gap]);
    }
  Json curve = {{"step", Json::array()}, {"time", Json::array()}, {"gap", Json::array()}};
  for (const std::size_t i : thinned(gaps, most)) {
    curve["step"].push_back(rounded((*rows[i])[*step]));
    curve["time"].push_back(rounded((*rows[i])[*time]));
    curve["gap"].push_back(rounded(gaps[i]));
  }
  return curve;
}

// The parts of a step; communication counts where it is exposed, `other` is what is left.
Json parts_json(const Group& group) {
  Json parts = Json::array();
  const auto step = spread(group, "step_time_s");
  if (!step) return parts;
  double rest = step->mean;
  for (const char* name : {"forward_s", "backward_s", "exposed_communication_s", "codec_s", "optimizer_s"})
    if (const auto part = spread(group, name); part && part->mean > 0.0) {
      const std::string words = name;
      parts.push_back({words.substr(0, words.size() - 2), rounded(part->mean)});
      rest -= part->mean;
    }
  if (rest > 1e-3 * step->mean) parts.push_back({"other", rounded(rest)});
  return parts;
}

Json memory_json(const sim::Result& result) {
  Json all = Json::array();
  std::string ranks;  // the first ranks listed stand for all: usually every rank holds the same
  for (const sim::MemoryEntry& entry : result.memory) {
    if (ranks.empty()) ranks = entry.ranks;
    if (entry.ranks == ranks && entry.peak_B > 0.0) all.push_back({entry.category, rounded(entry.peak_B / gibibyte)});
  }
  return all;
}

// Use over time: [link, [[end of the stretch, % of the capacity], ...]].
Json usage_json(const sim::Result& result) {
  Json all = Json::array();
  for (const sim::Series& series : result.series) {
    if (series.name != "link_utilization") continue;
    for (std::size_t c = 1; c < series.columns.size(); ++c) {
      Json points = Json::array();
      for (const auto& row : series.rows)
        if (row[0] && row[c]) points.push_back({rounded(row[0]), rounded(*row[c] * 100.0)});
      all.push_back({series.columns[c], std::move(points)});
    }
  }
  return all;
}

Json sizes_json(const sim::Result& result) {
  Json all = Json::array();
  for (const sim::Series& series : result.series) {
    const auto size = column_of(series, "size_B"), rate = column_of(series, "bus_bandwidth_Bps");
    if (series.name != "collective" || !size || !rate) continue;
    for (const auto& row : series.rows)
      if (row[*size] && row[*rate]) all.push_back({rounded(row[*size]), rounded(row[*rate])});
  }
  return all;
}

Json group_json(const Group& group, std::size_t variant, std::size_t point, std::size_t curve_points) {
  const sim::Result& first = group.runs.front()->result;
  Json all = {{"variant", variant}, {"point", point}, {"metrics", Json::object()}, {"curves", Json::array()}};
  for (const sim::Metric& metric : first.metrics)
    if (const auto found = spread(group, metric.name))
      all["metrics"][metric.name] = {rounded(found->mean), rounded(found->low), rounded(found->high)};
  for (const sim::Run* run : group.runs)
    for (const sim::Series& series : run->result.series)
      if (series.name == "loss")
        if (Json curve = curve_json(series, curve_points); !curve.is_null()) all["curves"].push_back(std::move(curve));
  all["parts"] = parts_json(group);
  all["memory"] = memory_json(first);
  all["links"] = Json::array();
  for (std::size_t i = 0; i < std::min(most_links, first.links.size()); ++i)
    all["links"].push_back({first.links[i].link, rounded(first.links[i].busy_fraction)});
  all["usage"] = usage_json(first);
  all["sizes"] = sizes_json(first);
  return all;
}

Json keys_json(const std::vector<sim::PointValue>& keys, const std::vector<Group>& groups) {
  Json all = Json::array();
  const std::vector<std::string> names = short_keys(keys);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool numeric = std::all_of(groups.begin(), groups.end(), [&](const Group& group) {
      return std::any_of(group.point().begin(), group.point().end(),
                         [&](const sim::PointValue& value) { return value.key == keys[k].key && swept_number(value); });
    });
    const bool rate = keys[k].unit == "B/s";  // networks are spoken of in Gb/s
    all.push_back({{"short", names[k]},
                   {"unit", keys[k].unit},
                   {"shown", rate ? "Gb/s" : keys[k].unit},
                   {"factor", rate ? 8e-9 : 1.0},
                   {"numeric", numeric}});
  }
  return all;
}

Json metrics_json(const std::vector<Group>& groups) {
  std::vector<std::string> names;
  for (const Group& group : groups)
    for (const sim::Metric& metric : group.runs.front()->result.metrics)
      if (metric.value && std::find(names.begin(), names.end(), metric.name) == names.end())
        names.push_back(metric.name);
  Json all = Json::array();
  for (const std::string& name : names) {
    double largest = 0.0;
    for (const Group& group : groups)
      if (const auto found = spread(group, name)) largest = std::max(largest, found->high);
    const Scale scale = scale_of(name, largest);
    all.push_back({{"name", name},
                   {"label", scale.unit.empty() ? name : name + " (" + scale.unit + ")"},
                   {"factor", scale.factor}});
  }
  return all;
}

}  // namespace

std::string chart_data(std::span<const sim::Run> runs, const Verification& verification) {
  const std::vector<Group> groups = grouped(runs);
  const std::vector<sim::PointValue> keys = swept_keys(groups);
  std::vector<std::string> variants;
  std::vector<const Group*> points;  // the first group at each point
  Json drawn = Json::array();
  const std::size_t curve_points =
      std::clamp<std::size_t>(most_points_in_all / std::max<std::size_t>(1, runs.size()), 100, most_curve_points);
  for (const Group& group : groups) {
    auto variant = std::find(variants.begin(), variants.end(), group.variant());
    if (variant == variants.end()) variant = variants.insert(variants.end(), group.variant());
    auto point = std::find_if(points.begin(), points.end(),
                              [&](const Group* known) { return same_point(known->point(), group.point()); });
    if (point == points.end()) point = points.insert(points.end(), &group);
    drawn.push_back(group_json(group, static_cast<std::size_t>(variant - variants.begin()),
                               static_cast<std::size_t>(point - points.begin()), curve_points));
  }
  Json all;
  all["keys"] = keys_json(keys, groups);
  all["variants"] = variants;
  all["points"] = Json::array();
  for (const Group* point : points) {
    Json at = Json::array();
    for (const sim::PointValue& key : keys) {
      const auto found = std::find_if(point->point().begin(), point->point().end(),
                                      [&](const sim::PointValue& value) { return value.key == key.key; });
      if (found == point->point().end())
        at.push_back({{"text", ""}, {"value", nullptr}});
      else
        at.push_back({{"text", found->text}, {"value", rounded(found->value)}});
    }
    all["points"].push_back({{"text", point_text(point->point())}, {"at", std::move(at)}});
  }
  all["axis"] = runs.empty() ? "" : runs.front().result.plane.axis;
  all["metrics"] = metrics_json(groups);
  all["runs"] = std::move(drawn);
  all["references"] = Json::array();
  for (const VerifyRow& row : verification.rows) {
    const sim::Reference& reference = row.reference;
    if (reference.kind != sim::Reference::Kind::value || !reference.value) continue;
    Json places = Json::array();
    for (const Group& group : groups)
      if ((reference.variant.empty() || reference.variant == group.variant()) &&
          at_point(group.point(), reference.at)) {
        const auto variant = std::find(variants.begin(), variants.end(), group.variant()) - variants.begin();
        const auto point = std::find_if(points.begin(), points.end(),
                                        [&](const Group* known) { return same_point(known->point(), group.point()); }) -
                           points.begin();
        places.push_back({variant, point});
      }
    all["references"].push_back({{"metric", reference.metric},
                                 {"value", rounded(reference.value)},
                                 {"tolerance", rounded(reference.tolerance)},
                                 {"places", std::move(places)}});
  }
  std::string text = all.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace analysis
