#include "scenarios/reader/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/base/units.hpp"
#include "scenarios/reader/language.hpp"
#include "scenarios/reader/yaml.hpp"

namespace scenarios {
namespace {

using models::Diagnostics;
using models::Entry;
using models::Node;
using models::NodeKind;

struct Axis {
  Override key;  // its value is each of `values` in turn
  std::vector<Node> values;
};

// `1 Gb/s` -> 1 and " Gb/s".
struct EndPoint {
  double number = 0.0;
  std::string unit;
  bool whole = false;
};

std::optional<EndPoint> end_point(const std::string& text) {
  for (std::size_t length = text.size(); length > 0; --length) {
    const std::optional<double> number = models::read_number(text.substr(0, length));
    if (!number || text[length - 1] == ' ') continue;
    EndPoint end{*number, text.substr(length), false};
    end.whole = text.substr(0, length).find_first_not_of("0123456789_") == std::string::npos;
    return end;
  }
  return std::nullopt;
}

// Six significant digits: enough to tell points apart, few enough to hide the last bits of pow(), which differ between
// CPUs.
std::string point_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6).ptr;
  double rounded = 0.0;
  std::from_chars(buffer, end, rounded);
  return models::shortest(rounded);
}

std::vector<Node> spaced(const Entry& axis, Diagnostics& diagnostics) {
  const auto find = [&](std::string_view key) -> const Node* {
    for (const Entry& entry : axis.value.entries)
      if (entry.key == key) return &entry.value;
    return nullptr;
  };
  static const std::vector<std::string> known{"from", "to", "steps", "scale"};
  const std::size_t before = diagnostics.all().size();
  for (const Entry& entry : axis.value.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::vector<std::string> near = models::nearest(entry.key, known);
    diagnostics.add(
        {entry.place, fmt::format("key '{}' is not known in the range of '{}'", entry.key, axis.key),
         fmt::format("{}a range is {{from, to, steps, scale: linear or log}}; single values stand in a list",
                     near.empty() ? "" : fmt::format("did you mean '{}'? ", near.front()))});
  }
  for (const std::string& key : {std::string("from"), std::string("to"), std::string("steps")})
    if (!find(key))
      diagnostics.add({axis.place, fmt::format("'{}' is missing in the range of '{}'", key, axis.key),
                       "a range is {from, to, steps, scale: linear or log}"});
  if (diagnostics.all().size() > before) return {};
  const Node *from = find("from"), *to = find("to"), *steps = find("steps"), *scale = find("scale");
  const std::optional<EndPoint> first = end_point(from->text), last = end_point(to->text);
  const std::optional<double> count = models::read_number(steps->text);
  constexpr double fewest = 2.0;
  if (!first)
    diagnostics.add({from->place, fmt::format("'{}' is not an amount", from->text),
                     "from and to are numbers, with a unit where the key has one"});
  if (!last)
    diagnostics.add({to->place, fmt::format("'{}' is not an amount", to->text),
                     "from and to are numbers, with a unit where the key has one"});
  if (first && last && first->unit != last->unit)
    diagnostics.add({to->place, fmt::format("'{}' and '{}' have different units", from->text, to->text),
                     "write both ends in the same unit"});
  if (!count || *count != std::floor(*count) || *count < fewest || *count > static_cast<double>(most_points))
    diagnostics.add({steps->place,
                     fmt::format("'steps' is {}, but must be a whole number from 2 to {}", steps->text, most_points),
                     {}});
  const bool log = scale && scale->text == "log";
  if (scale && !log && scale->text != "linear")
    diagnostics.add({scale->place, fmt::format("scale '{}' is not known", scale->text), "known: linear, log"});
  if (log && first && last && (first->number <= 0.0 || last->number <= 0.0))
    diagnostics.add({scale->place, "a log scale needs ends above 0", {}});
  if (diagnostics.all().size() > before) return {};

  std::vector<Node> values;
  const bool whole = log && first->whole && last->whole && first->unit.empty();  // 4 to 64 nodes: whole numbers between
  const auto points = static_cast<int>(*count);
  for (int i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    double value = log ? first->number * std::pow(last->number / first->number, share)
                       : first->number + share * (last->number - first->number);
    if (i == 0) value = first->number;
    if (i == points - 1) value = last->number;
    const bool end = i == 0 || i == points - 1;
    Node node;
    node.kind = NodeKind::scalar;
    node.place = from->place;
    node.text = (whole ? models::shortest(std::round(value))
                 : end ? models::shortest(value)
                       : point_text(value)) +
                first->unit;
    if (values.empty() || values.back().text != node.text) values.push_back(std::move(node));
  }
  return values;
}

bool is_fixed(const std::vector<std::string>& path, const std::vector<Override>& fixed) {
  return std::any_of(fixed.begin(), fixed.end(),
                     [&](const Override& change) { return lies_within(path, change.path); });
}

Node without_value(const models::Place& place) {
  Node node;
  node.place = place;
  return node;
}

std::vector<Axis> axes_of(const Node& sweep, const std::vector<Override>& fixed, Diagnostics& diagnostics) {
  std::vector<Axis> axes;
  for (const Entry& entry : sweep.entries) {
    Node one;
    one.kind = NodeKind::mapping;
    Entry empty;
    empty.key = entry.key;
    empty.place = entry.place;
    empty.value = without_value(entry.value.place);
    one.entries.push_back(std::move(empty));
    const std::vector<Override> keys = overrides_of(one, diagnostics);
    if (keys.empty()) continue;
    Axis axis{keys.front(), {}};
    if (entry.value.kind == NodeKind::sequence && !entry.value.items.empty())
      axis.values = entry.value.items;
    else if (entry.value.kind == NodeKind::mapping)
      axis.values = spaced(entry, diagnostics);
    else
      diagnostics.add({entry.place, fmt::format("'{}' has no values to sweep", entry.key),
                       fmt::format("{}: [a, b, c], or {{from, to, steps, scale: linear or log}}", entry.key)});
    if (!axis.values.empty() && !is_fixed(axis.key.path, fixed)) axes.push_back(std::move(axis));
  }
  return axes;
}

// What is wrong with a value is shown at the value; what is wrong with the key, once, at the key.
SweepPoint with(SweepPoint point, const Override& key, const Node& value, bool known) {
  const bool amount = value.kind == NodeKind::scalar && end_point(value.text);
  const bool at_value = known && !amount && value.place.line > 0;
  point.changes.push_back({key.path, value, at_value ? value.place : key.place});
  point.at.push_back(point_value(joined(key.path), value));
  return point;
}

std::vector<SweepPoint> grid(const Node& sweep, const std::vector<Override>& fixed, Diagnostics& diagnostics) {
  std::vector<SweepPoint> points(1);
  for (const Axis& axis : axes_of(sweep, fixed, diagnostics)) {
    if (points.size() * axis.values.size() > most_points) {
      diagnostics.add({axis.key.place, fmt::format("the sweep has more than {} points", most_points),
                       "sweep fewer keys at once, or fewer values"});
      return {};
    }
    const bool known = is_key(axis.key.path);
    std::vector<SweepPoint> longer;
    for (const SweepPoint& point : points)
      for (const Node& value : axis.values) longer.push_back(with(point, axis.key, value, known));
    points = std::move(longer);
  }
  return points;
}

std::vector<SweepPoint> pairs(const Node& sweep, const std::vector<Override>& fixed, Diagnostics& diagnostics) {
  std::vector<SweepPoint> points;
  for (const Node& item : sweep.items) {
    if (item.kind != NodeKind::mapping || item.entries.empty()) {
      diagnostics.add({item.place, "a point of a paired sweep is a mapping of keys to values",
                       "- {cluster.topology.nodes: 4, training.batch.micro: 32}"});
      continue;
    }
    SweepPoint point;
    for (const Override& change : overrides_of(item, diagnostics))
      if (!is_fixed(change.path, fixed)) point = with(std::move(point), change, change.value, true);
    const auto same = [&](const SweepPoint& other) {
      return std::equal(
          point.at.begin(), point.at.end(), other.at.begin(), other.at.end(),
          [](const sim::PointValue& a, const sim::PointValue& b) { return a.key == b.key && a.text == b.text; });
    };
    if (std::none_of(points.begin(), points.end(), same)) points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

std::vector<SweepPoint> sweep_points(const Node* sweep, const std::vector<Override>& fixed, Diagnostics& diagnostics) {
  if (!sweep || sweep->kind == NodeKind::null) return std::vector<SweepPoint>(1);
  if (sweep->kind == NodeKind::mapping) return grid(*sweep, fixed, diagnostics);
  if (sweep->kind == NodeKind::sequence && !sweep->items.empty()) return pairs(*sweep, fixed, diagnostics);
  diagnostics.add({sweep->place, "'sweep' must be a mapping or a list of mappings",
                   "KEY.PATH: [a, b] for a grid, or a list of {KEY: value} for paired points"});
  return {};
}

sim::PointValue point_value(const std::string& key, const Node& value) {
  sim::PointValue point;
  point.key = key;
  point.text = flow_text(value);
  if (value.kind != NodeKind::scalar) return point;
  point.text = value.text;
  if (const auto number = models::read_number(value.text)) return point.value = *number, point;
  if (const auto share = models::read_fraction(value.text)) return point.value = *share, point;
  const auto amount = [&](const auto& read, std::string_view unit) {
    if (!read || !point.unit.empty()) return;
    point.value = read->value;
    point.unit = std::string(unit);
  };
  amount(models::read_bytes(value.text), "B");
  amount(models::read_seconds(value.text), "s");
  amount(models::read_bytes_per_second(value.text), "B/s");
  amount(models::read_flops_per_second(value.text), "FLOP/s");
  amount(models::read_per_second(value.text), "1/s");
  return point;
}

}  // namespace scenarios
