// ASTRA-sim 2's network files (analytical back end): topology, npus_count, bandwidth in GB/s and latency in ns of each
// dimension (Won et al., ASTRA-sim2.0, ISPASS 2023). The first dimension is a node.

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "models/base/units.hpp"
#include "scenarios/reader/graph_writer.hpp"
#include "scenarios/reader/import.hpp"
#include "scenarios/reader/scenario.hpp"

namespace scenarios {

namespace {

using models::Node;
using models::NodeKind;

struct Dimension {
  std::size_t block = 0;  // place in `blocks`
  std::int64_t size = 1, stride = 1;
  double bandwidth = 0.0, latency = 0.0;
};
constexpr std::array<std::string_view, 3> blocks{"Ring", "FullyConnected", "Switch"};
constexpr std::size_t ring = 0, switched = 2;

std::string npu(std::int64_t i) { return fmt::format("npu{}", i); }

void join(GraphWriter& graph, const Dimension& dimension, std::size_t number, std::int64_t all,
          const models::Place& place) {
  const Node link = mapping_node({{"bandwidth", models::shortest(dimension.bandwidth) + " GB/s"},
                                  {"latency", models::shortest(dimension.latency) + " ns"}},
                                 place);
  for (std::int64_t first = 0; first < all; ++first) {
    if (first / dimension.stride % dimension.size != 0 || dimension.size == 1) continue;
    const auto member = [&](std::int64_t i) { return npu(first + i * dimension.stride); };
    const std::string hub = fmt::format("switch{}.{}", number, first);
    if (dimension.block == switched) graph.add_switch(hub);
    for (std::int64_t i = 0; i < dimension.size; ++i) {
      if (dimension.block == switched) graph.join(member(i), hub, link, place);
      if (dimension.block == ring && (dimension.size > 2 || i == 0))
        graph.join(member(i), member((i + 1) % dimension.size), link, place);
      for (std::int64_t j = i + 1; dimension.block != ring && dimension.block != switched && j < dimension.size; ++j)
        graph.join(member(i), member(j), link, place);
    }
  }
}

}  // namespace

Node graph_of_astra(const Node& network, const std::string& file) {
  models::Diagnostics diagnostics;
  const bool is_network = network.kind == NodeKind::mapping &&
                          std::any_of(network.entries.begin(), network.entries.end(),
                                      [](const models::Entry& entry) { return entry.key == "topology"; });
  if (!is_network)
    throw models::Error({file, 1, 1, {}}, "this is no network file of ASTRA-sim: it has no 'topology'",
                        "topology: [Ring], npus_count: [8], bandwidth: [50], latency: [500]");
  models::Params params(network, "", diagnostics, presets());
  constexpr double most_npus = 4096.0, most_rate = 1e9;
  const Node* names = params.raw("topology", "list", "");
  const std::vector<double> sizes = params.numbers("npus_count", {1.0, most_npus}, "NPUs of each dimension");
  const std::vector<double> bandwidths = params.numbers("bandwidth", {1e-6, most_rate}, "GB/s of each dimension");
  const std::vector<double> latencies = params.numbers("latency", {0.0, most_rate}, "ns of each dimension");
  if (names->kind != NodeKind::sequence)
    params.report("topology", "'topology' is a list", "topology: [Ring], [FullyConnected] or [Switch]");
  params.finish();
  diagnostics.throw_if_any();
  if (names->items.size() != sizes.size() || bandwidths.size() != sizes.size() || latencies.size() != sizes.size())
    throw models::Error(network.place, "topology, npus_count, bandwidth and latency differ in length");
  GraphWriter graph("ASTRA-sim network", network.place);
  std::vector<Dimension> dimensions;
  std::int64_t all = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Dimension dimension;
    while (dimension.block < blocks.size() && blocks[dimension.block] != names->items[i].text) ++dimension.block;
    if (dimension.block == blocks.size())
      throw models::Error(names->items[i].place, fmt::format("building block '{}' is not known", names->items[i].text),
                          "known: Ring, FullyConnected, Switch");
    dimension.size = static_cast<std::int64_t>(sizes[i]);
    dimension.stride = all;
    dimension.bandwidth = bandwidths[i];
    dimension.latency = latencies[i];
    all *= dimension.size;
    if (static_cast<double>(all) > most_npus)
      throw models::Error(network.place, "an imported network has at most 4096 NPUs");
    dimensions.push_back(dimension);
  }
  for (std::int64_t i = 0; i < all; ++i) {
    if (dimensions.empty() || i % dimensions.front().size == 0) graph.start_node();
    graph.add_host(npu(i));
  }
  for (std::size_t i = 0; i < dimensions.size(); ++i) join(graph, dimensions[i], i, all, network.place);
  graph.let_hosts_forward();
  return graph.graph();
}

}  // namespace scenarios
