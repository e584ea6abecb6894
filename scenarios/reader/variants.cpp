#include "scenarios/reader/variants.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/reader/readers.hpp"
#include "scenarios/reader/yaml.hpp"

namespace scenarios {

using models::Diagnostics;
using models::Entry;
using models::Node;
using models::NodeKind;

namespace {

bool matches(const sim::PointValue& point, const Override& wanted) {
  const sim::PointValue value = point_value(point.key, wanted.value);
  if (point.text == value.text) return true;
  const bool amounts = point.unit == value.unit && (point.value != 0.0 || value.value != 0.0);
  return amounts && point.value == value.value;
}

}  // namespace

void refuse_header_keys(const std::vector<Override>& changes, std::string_view who, Diagnostics& diagnostics) {
  for (const Override& change : changes)
    if (is_header_key(change.path.front()))
      diagnostics.add({change.place, fmt::format("'{}' cannot be changed by {}", joined(change.path), who),
                       fmt::format("it may change: {}", fmt::join(point_keys, ", "))});
}

std::vector<Variant> read_variants(const Node& root, const std::vector<std::string>& only, Diagnostics& diagnostics) {
  std::vector<Variant> all;
  std::vector<std::string> names;
  const Entry* variants = entry_of(root, "variants");
  if (variants && variants->value.kind != NodeKind::null &&
      (variants->value.kind != NodeKind::mapping || variants->value.entries.empty())) {
    diagnostics.add({variants->place,
                     fmt::format("'variants' must be a mapping, not {}", models::kind_name(variants->value.kind)),
                     "NAME: {training.algorithm: adam}"});
    return all;
  }
  if (variants) {
    for (const Entry& entry : variants->value.entries) {
      names.push_back(entry.key);
      if (entry.value.kind != NodeKind::mapping && entry.value.kind != NodeKind::null) {
        diagnostics.add({entry.place,
                         fmt::format("variant '{}' must be a mapping of overrides, not {}", entry.key,
                                     models::kind_name(entry.value.kind)),
                         "NAME: {training.algorithm: adam}"});
        continue;
      }
      Variant variant{entry.key, overrides_of(entry.value, diagnostics)};
      refuse_header_keys(variant.changes, "a variant", diagnostics);
      if (only.empty() || std::find(only.begin(), only.end(), entry.key) != only.end())
        all.push_back(std::move(variant));
    }
  }
  for (const std::string& wanted : only)
    if (std::find(names.begin(), names.end(), wanted) == names.end())
      throw models::Error({fmt::format("--only {}", wanted), 0, 0, {}},
                          fmt::format("variant '{}' is not known", wanted),
                          names.empty() ? "the scenario has no variants" : models::known_hint(wanted, names));
  if (names.empty()) all.push_back({});
  return all;
}

std::vector<SweepPoint> selected(std::vector<SweepPoint> points, const std::vector<Override>& wanted) {
  for (const Override& one : wanted) {
    const std::string key = joined(one.path);
    std::vector<std::string> keys, texts;
    std::vector<SweepPoint> kept;
    for (const SweepPoint& point : points) {
      bool keep = false;
      for (const sim::PointValue& value : point.at) {
        if (std::find(keys.begin(), keys.end(), value.key) == keys.end()) keys.push_back(value.key);
        if (value.key != key) continue;
        if (std::find(texts.begin(), texts.end(), value.text) == texts.end()) texts.push_back(value.text);
        keep = matches(value, one);
      }
      if (keep) kept.push_back(point);
    }
    if (texts.empty())
      throw models::Error(one.place, fmt::format("'{}' is not swept", key),
                          keys.empty() ? "the scenario has no sweep" : models::known_hint(key, keys));
    if (kept.empty())
      throw models::Error(one.place, fmt::format("no point has '{}' at {}", key, flow_text(one.value)),
                          fmt::format("swept values: {}", fmt::join(texts, ", ")));
    points = std::move(kept);
  }
  return points;
}

}  // namespace scenarios
