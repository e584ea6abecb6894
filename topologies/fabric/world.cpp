#include "topologies/fabric/world.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"
#include "topologies/fabric/limits.hpp"

namespace topologies {

namespace {

constexpr std::array<std::string_view, 4> fidelity_names{"auto", "fluid", "simgrid", "collapsed"};

std::string device_key(const models::Device& device) {
  std::string key = device.name + '{';
  const auto add = [&key](double value) { key += models::shortest(value) + ','; };
  for (const double value :
       {device.memory.value, device.memory_bandwidth.value, device.launch.value, device.dispatch.value,
        device.layer_overhead.value, device.step_overhead.value, device.overlap_slowdown})
    add(value);
  for (const models::FlopsPerSecond peak : device.peak) add(peak.value);
  using Shares = std::array<double, sizeof(models::Efficiency) /
                                        sizeof(double)>;  // it holds nothing but numbers: a new one enters by itself
  for (const double value : std::bit_cast<Shares>(device.efficiency)) add(value);
  for (const auto& constant : device.constants) key += constant.name + '=' + models::shortest(constant.value) + ',';
  return key + '}';
}

// "3" or "0-7"; nothing: neither.
std::optional<std::pair<int, int>> node_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto low = models::read_number(text.substr(0, dash));
  const auto high = dash == std::string::npos ? low : models::read_number(text.substr(dash + 1));
  constexpr double most = 1e9;
  if (!low || !high || *low < 0.0 || *high < *low || *high > most) return {};
  return std::pair{static_cast<int>(*low), static_cast<int>(*high)};
}

std::vector<NodeDevices> read_other_gpus(models::Params& params, int nodes) {
  std::vector<NodeDevices> all;
  if (!params.has("gpus")) return all;
  for (models::Params& entry : params.list("gpus", "nodes with another device: [{nodes: 0-3, gpu: a100_sxm4_40gb}]")) {
    NodeDevices other;
    const std::string text = entry.text("nodes", "a node or a range of nodes, from 0: 3 or 0-7");
    models::Params gpu = entry.preset("gpu", "device", "device of these nodes");
    other.gpu = models::read_device(gpu);
    const auto range = node_range(text);
    if (entry.describing()) continue;
    if (!range)
      entry.report("nodes", "'" + text + "' is neither a node nor a range of nodes", "write nodes: 3 or nodes: 0-7");
    else if (range->second >= nodes)
      entry.report("nodes", "there is no node " + std::to_string(range->second),
                   "the topology has nodes 0 to " + std::to_string(nodes - 1));
    else
      std::tie(other.first, other.last) = *range, all.push_back(std::move(other));
  }
  return all;
}

LinkWish read_defaults(models::Params& params) {
  if (!params.has("defaults")) return {};
  models::Params defaults = params.section("defaults", "properties of all links that do not say otherwise");
  return read_link(defaults, "link", "bandwidth, latency, duplex and transport of links that leave them out");
}

}  // namespace

Cluster read_cluster(models::Params& params) {
  Cluster cluster;
  models::Params topology = params.section("topology", "shape of the cluster and its links");
  cluster.place = topology.place();
  BuilderSpec spec = topology.plugin_beside("shape", builders(), "how hosts are joined");
  const LinkWish defaults = read_defaults(params);
  models::Params gpu =
      params.preset("gpu", "device", "device of every host: a preset, a mapping, or {preset: NAME, key: value}");
  cluster.gpu = models::read_device(gpu);
  cluster.other_gpus = read_other_gpus(params, spec.nodes);
  models::Params network = params.section("network", "how the network is simulated");
  cluster.fidelity = fidelity_names[network.choice(
      "fidelity", fidelity_names,
      "auto; fluid: max-min sharing; simgrid: its own flows (small runs); collapsed: alike transfers as one", 0)];

  std::vector<LinkProperties> links;
  cluster.key = spec.key;
  for (const LinkWish& wish : spec.links) {
    links.push_back(completed(wish, defaults, topology));
    if (wish.used) cluster.key += ' ' + key_of(links.back());
  }
  std::vector<Limit> limits = read_limits(params);
  cluster.key += key_of(limits) + ' ' + device_key(cluster.gpu);
  for (const NodeDevices& other : cluster.other_gpus)
    cluster.key += ' ' + std::to_string(other.first) + '-' + std::to_string(other.last) + ':' + device_key(other.gpu);
  cluster.hosts = spec.hosts;
  cluster.nodes = spec.nodes;
  cluster.not_modelled = std::move(spec.not_modelled);
  cluster.description = spec.description + ' ' + cluster.gpu.name;
  for (std::size_t i = 0; i < std::min<std::size_t>(links.size(), 1); ++i)
    if (spec.links[i].used) cluster.description += ", " + links[i].name + ' ' + models::text(links[i].bandwidth);
  if (spec.build)
    cluster.blueprint = [build = std::move(spec.build), links = std::move(links), limits = std::move(limits)] {
      Blueprint made = build(links);
      apply(limits, made.fabric);
      return made;
    };
  return cluster;
}

World build(const Cluster& cluster) {
  models::ensure(static_cast<bool>(cluster.blueprint), "a cluster with errors is not built");
  Blueprint blueprint = cluster.blueprint();
  if (const auto lost = blueprint.fabric.unreachable_host())
    throw models::Error(
        cluster.place,
        "no route joins " + blueprint.fabric.vertices()[static_cast<std::size_t>(blueprint.fabric.host(*lost))].name +
            " and " + blueprint.fabric.vertices()[static_cast<std::size_t>(blueprint.fabric.host(0))].name,
        "add a cable, or let routes pass through hosts with hosts_forward: true");
  World world;
  world.fabric = std::move(blueprint.fabric);
  world.node = std::move(blueprint.node);
  world.devices.push_back(cluster.gpu);
  std::map<std::string, int> known{{device_key(cluster.gpu), 0}};
  std::vector<int> of_node(static_cast<std::size_t>(cluster.nodes));
  for (const NodeDevices& other : cluster.other_gpus) {
    const auto [entry, fresh] = known.emplace(device_key(other.gpu), static_cast<int>(world.devices.size()));
    if (fresh) world.devices.push_back(other.gpu);
    for (int node = other.first; node <= other.last; ++node) of_node[static_cast<std::size_t>(node)] = entry->second;
  }
  for (const int node : world.node) world.device.push_back(of_node[static_cast<std::size_t>(node)]);
  world.not_modelled = cluster.not_modelled;
  return world;
}

}  // namespace topologies
