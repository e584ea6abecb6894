#pragma once
// Worlds made from a `topology:` written in code.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/topologies/documents.hpp"
#include "topologies/builder/builder.hpp"

namespace shapes {

using documents::mapping;
using documents::Pair;

inline models::Node cable(const char* bandwidth = "10 GB/s", const char* latency = "1 us") {
  return mapping({{"bandwidth", bandwidth}, {"latency", latency}});
}

struct Read {
  topologies::BuilderSpec spec;
  std::vector<topologies::LinkProperties> links;
  std::vector<models::Diagnostic> diagnostics;
};
inline Read read(std::vector<Pair> topology) {
  const models::Node node = mapping(std::move(topology));
  models::Diagnostics diagnostics;
  const models::NoPresets presets;
  models::Params params(node, "topology", diagnostics, presets);
  Read result;
  result.spec = params.plugin_beside("shape", topologies::builders(), "shape");
  for (const topologies::LinkWish& wish : result.spec.links)
    result.links.push_back(topologies::completed(wish, {}, params));
  params.finish();
  result.diagnostics = diagnostics.all();
  return result;
}
inline topologies::Blueprint built(std::vector<Pair> topology) {
  const Read result = read(std::move(topology));
  for (const models::Diagnostic& diagnostic : result.diagnostics) FAIL(diagnostic.message);
  topologies::Blueprint made = result.spec.build(result.links);
  REQUIRE(made.fabric.host_count() == result.spec.hosts);
  REQUIRE(static_cast<int>(made.node.size()) == result.spec.hosts);
  return made;
}

// One or more sizes of every row.
inline std::vector<std::vector<Pair>> samples() {
  using documents::list;
  using documents::scalar;
  std::vector<std::vector<Pair>> all;
  const models::Node half = mapping({{"bandwidth", "1 GB/s"}, {"latency", "2 us"}, {"duplex", "half"}});
  for (const int n : {1, 2, 3, 7, 16}) {
    for (const models::Node& kind : {cable(), half}) {
      all.push_back({{"shape", "star"}, {"nodes", n}, {"link", kind}});
      all.push_back({{"shape", "ring"}, {"nodes", n}, {"link", kind}});
      all.push_back({{"shape", "full"}, {"nodes", n}, {"link", kind}});
      all.push_back({{"shape", "star_of_nodes"},
                     {"nodes", n},
                     {"gpus_per_node", 4},
                     {"nics_per_node", 2},
                     {"inter_node", kind},
                     {"intra_node", cable()},
                     {"host_link", half}});
      all.push_back(
          {{"shape", "star_of_nodes"}, {"nodes", n}, {"gpus_per_node", 3}, {"inter_node", kind}, {"intra_node", half}});
    }
    all.push_back({{"shape", "star_of_nodes"}, {"nodes", n}, {"gpus_per_node", 1}, {"inter_node", cable()}});
    all.push_back({{"shape", "torus"},
                   {"sizes", list({scalar(std::to_string(n)), scalar("2"), scalar("3")})},
                   {"link", cable()}});
    all.push_back({{"shape", "torus"}, {"sizes", list({scalar("4"), scalar(std::to_string(n))})}, {"link", half}});
  }
  all.push_back({{"shape", "fat_tree"}, {"ports", 4}, {"link", cable()}});
  all.push_back({{"shape", "fat_tree"}, {"ports", 6}, {"levels", 2}, {"oversubscription", 2}, {"link", half}});
  all.push_back({{"shape", "fat_tree"},
                 {"ports", 8},
                 {"oversubscription", 3},
                 {"nodes", 77},
                 {"gpus_per_node", 8},
                 {"link", cable()}});
  for (const int n : {1, 2, 7, 24}) {
    const auto leaf_spine = [&](std::vector<Pair> more) {
      std::vector<Pair> sample{{"shape", "leaf_spine"}, {"nodes", n}, {"spines", 3}, {"inter_node", cable()}};
      for (Pair& pair : more) sample.push_back(std::move(pair));
      all.push_back(std::move(sample));
    };
    const models::Node ecmp = mapping({{"ecmp", 5}});
    leaf_spine({{"nodes_per_leaf", 3}});
    leaf_spine({{"nodes_per_leaf", 4}, {"oversubscription", 2}, {"routing", ecmp}});
    leaf_spine({{"leaves", (n + 1) / 2},
                {"uplink", half},
                {"gpus_per_node", 4},
                {"nics_per_node", 2},
                {"intra_node", cable()}});
    leaf_spine({{"leaves", 1}, {"gpus_per_node", 2}, {"intra_node", half}, {"host_link", cable()}});
    for (const int spines : {0, 2})
      all.push_back({{"shape", "rail_optimized"},
                     {"nodes", n},
                     {"gpus_per_node", 3},
                     {"spines", spines},
                     {"inter_node", half},
                     {"intra_node", cable()}});
    all.push_back({{"shape", "rail_optimized"},
                   {"nodes", n},
                   {"gpus_per_node", 4},
                   {"nodes_per_pod", 5},
                   {"spines", 2},
                   {"forwarding", n > 2 ? "true" : "false"},
                   {"inter_node", cable()},
                   {"uplink", cable()},
                   {"intra_node", cable()},
                   {"routing", ecmp}});
  }
  const models::Node ecmp = mapping({{"ecmp", 9}}), valiant = mapping({{"valiant", 3}});
  for (const int d : {1, 2, 5}) {
    all.push_back({{"shape", "hypercube"}, {"dimensions", d}, {"link", cable()}});
    all.push_back({{"shape", "hypercube"}, {"dimensions", d}, {"link", half}, {"routing", ecmp}, {"gpus_per_node", 2}});
  }
  all.push_back({{"shape", "torus"},
                 {"sizes", list({scalar("4"), scalar("3"), scalar("2")})},
                 {"link", cable()},
                 {"routing", ecmp}});
  all.push_back({{"shape", "fat_tree"}, {"ports", 8}, {"nodes", 50}, {"link", cable()}, {"routing", ecmp}});
  for (const int n : {2, 3, 6, 7, 16, 37}) {
    all.push_back({{"shape", "expander"}, {"kind", "exponential"}, {"nodes", n}, {"link", cable()}});
    all.push_back({{"shape", "expander"}, {"kind", "exponential"}, {"nodes", n}, {"link", half}, {"routing", ecmp}});
    if (n % 2 == 0)
      all.push_back({{"shape", "expander"}, {"nodes", n}, {"degree", std::min(3, n - 1)}, {"link", half}});
    if (n > 4) all.push_back({{"shape", "expander"}, {"nodes", n}, {"link", cable()}, {"routing", ecmp}});
  }
  for (const models::Node& routing : {ecmp, valiant})
    for (const int groups : {1, 2, 3, 5, 9})
      all.push_back({{"shape", "dragonfly"},
                     {"nodes", 40},
                     {"groups", groups},
                     {"routers_per_group", 4},
                     {"global_links_per_router", 2},
                     {"inter_node", cable()},
                     {"global", half},
                     {"routing", routing}});
  all.push_back({{"shape", "dragonfly"},
                 {"nodes", 11},
                 {"groups", 3},
                 {"routers_per_group", 2},
                 {"gpus_per_node", 4},
                 {"nics_per_node", 2},
                 {"inter_node", cable()},
                 {"intra_node", cable()},
                 {"host_link", cable()},
                 {"local", half}});
  for (const char* layout : {"full", "hub"})
    all.push_back({{"shape", "wan"},
                   {"inter_site", cable("1 Gb/s", "20 ms")},
                   {"layout", layout},
                   {"sites", list({mapping({{"shape", "star"}, {"nodes", 3}, {"link", half}}),
                                   mapping({{"shape", "ring"}, {"nodes", 5}, {"link", cable()}, {"copies", 2}}),
                                   mapping({{"shape", "fat_tree"}, {"ports", 4}, {"nodes", 10}, {"link", cable()}}),
                                   mapping({{"shape", "star"}, {"nodes", 1}, {"link", cable()}}),
                                   mapping({{"shape", "rail_optimized"},
                                            {"nodes", 3},
                                            {"gpus_per_node", 2},
                                            {"spines", 0},
                                            {"inter_node", cable()},
                                            {"intra_node", cable()}}),
                                   mapping({{"shape", "star_of_nodes"},
                                            {"nodes", 2},
                                            {"gpus_per_node", 2},
                                            {"host_link", cable()},
                                            {"inter_node", half},
                                            {"intra_node", cable()}}),
                                   mapping({{"shape", "dragonfly"},
                                            {"nodes", 9},
                                            {"groups", 3},
                                            {"routers_per_group", 2},
                                            {"inter_node", cable()}})})}});
  all.push_back(
      {{"shape", "wan"},
       {"sites", list({mapping({{"name", "a"}, {"shape", "star"}, {"nodes", 2}, {"link", cable()}}),
                       mapping({{"name", "b"}, {"shape", "full"}, {"nodes", 3}, {"link", cable()}}),
                       mapping({{"name", "c"}, {"shape", "hypercube"}, {"dimensions", 2}, {"link", cable()}})})},
       {"cables", list({mapping({{"between", "a--b b--c"}, {"link", half}})})}});
  all.push_back(
      {{"shape", "file"},
       {"graph", mapping({{"nodes", list({mapping({{"hosts", "a[0-3]"}}), mapping({{"hosts", "b[0-3]"}})})},
                          {"switches", "s[0-2]"},
                          {"cables", list({mapping({{"between", "a[0-3]--s0 b[0-3]--s1"}, {"link", cable()}}),
                                           mapping({{"between", "s[0-1]--s2 a0--b0"}, {"link", half}})})}})}});
  return all;
}

}  // namespace shapes
