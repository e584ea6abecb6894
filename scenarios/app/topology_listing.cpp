// `list topology NAME`: the figures of one topology.

#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

#include "scenarios/app/catalogue.hpp"
#include "scenarios/reader/import.hpp"
#include "scenarios/reader/scenario.hpp"
#include "scenarios/reader/yaml.hpp"
#include "topologies/fabric/figures.hpp"

namespace scenarios {

namespace {

using models::Node;
using models::NodeKind;

Node scalar(std::string text) {
  Node node;
  node.kind = NodeKind::scalar;
  node.text = std::move(text);
  return node;
}

void add(Node& mapping, std::string key, Node value) {
  mapping.kind = NodeKind::mapping;
  mapping.entries.push_back({std::move(key), {}, std::move(value)});
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

std::string bisection_text(const std::optional<topologies::Bisection>& cut) {
  if (!cut) return "not computed (one host, or too many links)";
  const std::string tried = fmt::format("smallest of {} halvings", cut->halvings);
  if (cut->exact())
    return fmt::format("{} each way (exact: a minimum cut meets the spectral bound)", models::text(cut->at_most));
  std::string text = fmt::format("{} each way at most ({}, a minimum cut each)", models::text(cut->at_most), tried);
  if (cut->at_least) text += fmt::format(", {} at least (spectral bound)", models::text(*cut->at_least));
  return text;
}

std::string gap_text(const topologies::Figures& all) {
  if (!all.spectral_gap) return "not computed (too many hosts)";
  return fmt::format(
      "{:.6g} (Metropolis-Hastings weights, neighbours: {})", *all.spectral_gap,
      all.host_graph == topologies::HostGraph::cables ? "hosts that a cable joins" : "every two hosts, over switches");
}

std::string described(const topologies::Cluster& cluster, const std::string& title) {
  const topologies::World world = topologies::build(cluster);
  const topologies::Figures all = topologies::figures(world.fabric);
  const std::string which = all.all_pairs ? "all pairs" : fmt::format("{} sampled pairs", all.pairs);
  std::string text = title + "\n";
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<15}{}\n", name, value);
  };
  line("hosts", fmt::format("{} in {} nodes", all.hosts, cluster.nodes));
  line("switches", fmt::format("{}", all.switches));
  line("cables", fmt::format("{}", all.cables));
  line("longest route",
       fmt::format("{} links{}", all.longest_route, all.all_pairs ? "" : " (of those sampled and to host 0)"));
  line("average route", fmt::format("{:.4g} links ({})", all.average_route, which));
  line("bisection", bisection_text(all.bisection));
  line("spectral gap", gap_text(all));
  for (const topologies::Omission& omission : world.not_modelled)
    line("not modelled", fmt::format("{} ({})", omission.effect, omission.direction));
  return text;
}

std::string of_mapping(Node topology, const std::string& title) {
  Node root;
  add(root, "topology", std::move(topology));
  add(root, "gpu", scalar("a100_sxm4_80gb"));  // a world has devices; no figure depends on them
  models::Diagnostics diagnostics;
  import_graphs(root, ".", diagnostics);
  diagnostics.throw_if_any();
  models::Params params(root, "", diagnostics, presets());
  const topologies::Cluster cluster = topologies::read_cluster(params);
  params.finish();
  diagnostics.throw_if_any();
  return described(cluster, title);
}

std::string of_scenario(const std::string& path) {
  std::string text;
  std::set<std::string> seen;
  for (const Point& point : read(path, {}).points) {
    if (!seen.insert(point.cluster.key).second) continue;
    std::string title = point.cluster.description;
    if (!point.variant.empty()) title += fmt::format(", variant {}", point.variant);
    for (const sim::PointValue& value : point.at) title += fmt::format(", {} {}", value.key, value.text);
    text += (text.empty() ? "" : "\n") + described(point.cluster, title);
  }
  return text;
}

}  // namespace

std::string topology_figures(const std::string& name) {
  Node topology;
  add(topology, "shape", scalar("file"));
  add(topology, "graph", scalar(name));
  if (presets().find("topology", name) != nullptr || is_import(name)) return of_mapping(std::move(topology), name);
  if (!name.empty() && name.front() == '{') return of_mapping(parse_value(name, "list topology"), name);
  if (ends_with(name, ".yaml") || ends_with(name, ".yml")) return of_scenario(name);
  throw models::Error({}, fmt::format("topology '{}' is not known", name),
                      fmt::format("an explicit graph ({}), a scenario's file, an imported file, or a mapping: "
                                  "'{{shape: torus, sizes: [4, 4], link: infiniband_100g}}'",
                                  fmt::join(presets().names("topology"), ", ")));
}

}  // namespace scenarios
