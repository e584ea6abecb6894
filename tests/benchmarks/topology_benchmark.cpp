// Large fabrics: seconds to build, memory they hold, microseconds per route. `./benchmark_topology`

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "models/base/params.hpp"
#include "tests/topologies/documents.hpp"
#include "topologies/builder/builder.hpp"

namespace {

using documents::mapping;
using documents::Pair;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Of this process, as the kernel counts it.
double resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:") {
      double kib = 0.0;
      status >> kib;
      return kib / 1024.0;
    }
  return 0.0;
}

models::Node cable() { return mapping({{"bandwidth", "50 GB/s"}, {"latency", "1 us"}}); }

void measure(const char* name, std::vector<Pair> topology) {
  const models::Node node = mapping(std::move(topology));
  models::Diagnostics diagnostics;
  const models::NoPresets presets;
  models::Params params(node, "topology", diagnostics, presets);
  topologies::BuilderSpec spec = params.plugin_beside("shape", topologies::builders(), "shape");
  std::vector<topologies::LinkProperties> links;
  for (const topologies::LinkWish& wish : spec.links) links.push_back(topologies::completed(wish, {}, params));
  diagnostics.throw_if_any();

  const double before = resident_mib();
  auto start = Clock::now();
  const topologies::Blueprint made = spec.build(links);
  const double build = seconds_since(start), memory = resident_mib() - before;
  constexpr int routes = 1'000'000;
  const auto hosts = static_cast<std::int64_t>(made.fabric.host_count());
  std::vector<topologies::LinkId> route;
  std::size_t crossed = 0;
  start = Clock::now();
  for (std::int64_t i = 0; i < routes; ++i) {
    route.clear();
    made.fabric.append_route(static_cast<int>(i * 7919 % hosts), static_cast<int>(i * 104729 % hosts), route);
    crossed += route.size();
  }
  const double per_route = seconds_since(start) / routes * 1e6;
  std::printf("%-28s %8lld hosts %9zu links  built in %6.3f s, %6.1f MiB; a route %.3f us, %.2f links\n", name,
              static_cast<long long>(hosts), made.fabric.links().size(), build, memory, per_route,
              static_cast<double>(crossed) / routes);
}

}  // namespace

int main() {
  const auto islands = [](const char* shape, std::vector<Pair> more) {
    std::vector<Pair> topology{
        {"shape", shape}, {"nodes", 8192}, {"gpus_per_node", 8}, {"inter_node", cable()}, {"intra_node", cable()}};
    for (Pair& pair : more) topology.push_back(std::move(pair));
    return topology;
  };
  const models::Node ecmp = mapping({{"ecmp", 1}});
  measure("leaf_spine", islands("leaf_spine", {{"nics_per_node", 8}, {"leaves", 512}, {"spines", 128}}));
  measure("leaf_spine, ecmp",
          islands("leaf_spine", {{"nics_per_node", 8}, {"leaves", 512}, {"spines", 128}, {"routing", ecmp}}));
  measure("rail_optimized", islands("rail_optimized", {{"nodes_per_pod", 128}, {"spines", 128}}));
  measure("dragonfly",
          islands("dragonfly",
                  {{"nics_per_node", 8}, {"groups", 129}, {"routers_per_group", 16}, {"global_links_per_router", 8}}));
  measure("dragonfly, valiant", islands("dragonfly", {{"nics_per_node", 8},
                                                      {"groups", 129},
                                                      {"routers_per_group", 16},
                                                      {"global_links_per_router", 8},
                                                      {"routing", mapping({{"valiant", 1}})}}));
  measure("hypercube", {{"shape", "hypercube"}, {"dimensions", 16}, {"link", cable()}});
  measure("expander, exponential",
          {{"shape", "expander"}, {"kind", "exponential"}, {"nodes", 65536}, {"link", cable()}});
  measure("fat_tree", {{"shape", "fat_tree"}, {"ports", 64}, {"nodes", 65536}, {"link", cable()}});
}
