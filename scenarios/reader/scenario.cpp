#include "scenarios/reader/scenario.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "scenarios/reader/import.hpp"
#include "scenarios/reader/overrides.hpp"
#include "scenarios/reader/readers.hpp"
#include "scenarios/reader/sha256.hpp"
#include "scenarios/reader/sweep.hpp"
#include "scenarios/reader/variants.hpp"
#include "scenarios/reader/yaml.hpp"

namespace scenarios {
namespace {

using models::Diagnostics;
using models::Entry;
using models::Node;
using models::NodeKind;
using models::Params;

constexpr std::size_t enough_errors = 50;  // a sweep of thousands of points need not be read to its end to be mended

// The text of a node and where it stands: equal fingerprints are read to equal values and equal complaints.
void fingerprint(const Node& node, std::string& text) {
  text += fmt::format("{}:{}:{}:{}", node.place.file, node.place.line, node.place.column, static_cast<int>(node.kind));
  text += node.quoted ? "\"" : "'";
  text += node.text;
  for (const Node& item : node.items) fingerprint(item, text += "\n-");
  for (const Entry& entry : node.entries)
    fingerprint(entry.value, text += fmt::format("\n{}@{}:{}=", entry.key, entry.place.file, entry.place.line));
}

std::string fingerprint(const Node& root, std::string_view key) {
  std::string text;
  if (const Entry* entry = entry_of(root, key)) {
    text = fmt::format("{}:{}:", entry->place.file, entry->place.line);
    fingerprint(entry->value, text);
  }
  return text;
}

// Reads whole points; what equal texts were read to is kept.
class PointReader {
 public:
  explicit PointReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Point read(const Node& root) {
    Params top(root, "", diagnostics_, presets());
    Point point;
    point.cluster = cluster(top, root);
    const bool training = top.has("training"), collective = top.has("collective");
    for (const std::string_view key : later_keys) {
      if (!entry_of(root, key)) continue;
      top.raw(key, "section", "");
      top.report(key, fmt::format("'{}' is not part of this version", key),
                 "jobs of this version: training, collective");
    }
    if (training && collective)
      top.report("collective", "a scenario has exactly one job, this one has 'training' and 'collective'",
                 "move one of them to its own scenario");
    else if (!training && !collective && !entry_of(root, "serving"))
      top.report("", "the scenario has no job",
                 "give 'training' or 'collective'; `windtunnel new training` writes one to start from");
    if (training) {
      const TrainingSection& section = training_section(top, root);
      if (diagnostics_.empty()) check_training(section, point.cluster.hosts, diagnostics_);
      point.job = section.job;
    }
    if (collective) {
      Params params = top.section("collective", collective_help);
      const sim::CollectiveJob job = read_collective(params);
      if (diagnostics_.empty()) check_collective(job, point.cluster.hosts, diagnostics_);
      if (!training) point.job = job;
    }
    point.expected = read_expected(top);
    if (const Entry* job = entry_of(root, training ? "training" : "collective"))
      point.numeric_key = fmt::format("{} on {} ranks", flow_text(job->value), point.cluster.hosts);
    top.finish();
    return point;
  }

 private:
  const topologies::Cluster& cluster(Params& top, const Node& root) {
    const std::string key = fingerprint(root, "cluster");
    const auto known = clusters_.find(key);
    if (known != clusters_.end()) {
      top.raw("cluster", "section", cluster_help);
      return known->second;
    }
    Params params = top.section("cluster", cluster_help);
    return clusters_.emplace(key, topologies::read_cluster(params)).first->second;
  }

  const TrainingSection& training_section(Params& top, const Node& root) {
    const std::string key = fingerprint(root, "training");
    const auto known = trainings_.find(key);
    if (known != trainings_.end()) {
      top.raw("training", "section", training_help);
      return known->second;
    }
    Params params = top.section("training", training_help);
    return trainings_.emplace(key, read_training(params)).first->second;
  }

  Diagnostics& diagnostics_;
  std::map<std::string, topologies::Cluster> clusters_;
  std::map<std::string, TrainingSection> trainings_;
};

std::vector<Override> parse_all(std::string_view option, const std::vector<std::string>& arguments) {
  std::vector<Override> all;
  for (const std::string& argument : arguments) all.push_back(parse_assignment(option, argument));
  return all;
}

// The header keys of the file with --set, and every key that nobody knows.
Header header_of(Node root, const std::vector<Override>& set, Diagnostics& diagnostics) {
  for (const Override& change : set) apply(root, change, diagnostics);
  Params top(root, "", diagnostics, presets());
  Header header = read_header(top);
  for (const std::string_view key : point_keys) top.raw(key, "section", "");
  for (const std::string_view key : later_keys)
    if (entry_of(root, key)) top.raw(key, "section", "");
  top.finish();
  return header;
}

// `trainings:` is reported by header_of() and read as the `training` it stands for: what else is wrong, and nothing
// more.
std::string meant(const Entry& entry, const Node& root) {
  if (is_header_key(entry.key) || is_point_key(entry.key) || is_later_key(entry.key)) return entry.key;
  std::vector<std::string> known(std::begin(point_keys), std::end(point_keys));
  known.insert(known.end(), std::begin(header_keys), std::end(header_keys));
  const std::vector<std::string> near = models::nearest(entry.key, known);
  const bool found = !near.empty() && is_point_key(near.front()) && !entry_of(root, near.front());
  return found ? near.front() : entry.key;
}

Node job_part(const Node& root) {
  Node part = root;
  for (Entry& entry : part.entries) entry.key = meant(entry, root);
  const auto foreign = [](const Entry& entry) { return !is_point_key(entry.key) && !is_later_key(entry.key); };
  part.entries.erase(std::remove_if(part.entries.begin(), part.entries.end(), foreign), part.entries.end());
  return part;
}

}  // namespace

Scenario read(const std::string& path, const Overrides& overrides, const PointCount& counted) {
  const std::string text = read_text(path);
  const Node root = parse_yaml(text, path);
  if (root.kind != NodeKind::mapping)
    throw models::Error({path, 1, 1, {}},
                        fmt::format("a scenario is a mapping of keys, this is {}", models::kind_name(root.kind)),
                        "`windtunnel new training` writes one to start from");

  const std::vector<Override> set = parse_all("--set", overrides.set);
  for (const Override& change : set)
    if (change.path.front() == "variants" || change.path.front() == "sweep")
      throw models::Error(change.place, fmt::format("'{}' cannot be set from the command line", change.path.front()),
                          "choose with --only and --point; --set on a swept key takes it out of the sweep");

  Diagnostics diagnostics;
  const Header header = header_of(root, set, diagnostics);
  const std::vector<Variant> variants = read_variants(root, overrides.only, diagnostics);
  const Entry* sweep = entry_of(root, "sweep");
  std::vector<SweepPoint> points = sweep_points(sweep ? &sweep->value : nullptr, set, diagnostics);
  for (const SweepPoint& point : points) {
    refuse_header_keys(point.changes, "a sweep", diagnostics);
    if (!diagnostics.empty()) break;
  }
  points = selected(std::move(points), parse_all("--point", overrides.at));

  Scenario scenario;
  scenario.info.name = header.name.empty() ? path : header.name;
  scenario.info.file = path;
  scenario.info.sha256 = sha256(text);
  scenario.info.description = header.description;
  scenario.info.source = header.source;
  scenario.info.seed = overrides.seed.value_or(header.seed);
  scenario.info.references = header.references;
  scenario.outputs = header.outputs;
  if (counted && diagnostics.empty())
    counted(scenario.info, variants.size() * points.size() * static_cast<std::size_t>(header.repeats));

  const Node base = job_part(root);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  PointReader reader(diagnostics);
  for (const Variant& variant : variants) {
    for (const SweepPoint& swept : points) {
      if (diagnostics.all().size() > enough_errors) break;
      Node whole = base;
      for (const std::vector<Override>* changes : {&variant.changes, &swept.changes, &set})
        for (const Override& change : *changes)
          if (!is_header_key(change.path.front())) apply(whole, change, diagnostics);
      const std::size_t complaints = diagnostics.all().size();
      import_graphs(whole, folder, diagnostics);
      if (diagnostics.all().size() > complaints) diagnostics.throw_if_any();
      Point point = reader.read(whole);
      point.variant = variant.name;
      point.at = swept.at;
      point.repeats = static_cast<int>(header.repeats);
      for (std::int64_t repeat = 0; repeat < header.repeats; ++repeat) {
        point.seed = scenario.info.seed + static_cast<std::uint64_t>(repeat);
        scenario.points.push_back(point);
        scenario.points.back().numeric_key += fmt::format(", seed {}", point.seed);
      }
    }
  }
  diagnostics.throw_if_any();
  return scenario;
}

}  // namespace scenarios
