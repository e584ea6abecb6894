// Hypercube, expander, dragonfly and WAN: closed forms of their graphs and routes.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "tests/topologies/shapes.hpp"

using namespace topologies;
using documents::list;
using documents::mapping;
using documents::scalar;
using shapes::built;
using shapes::cable;

namespace {

int hops(const Blueprint& made, int from, int to) { return static_cast<int>(made.fabric.route(from, to).links.size()); }

std::string first_mistake(std::vector<shapes::Pair> topology) {
  const shapes::Read read = shapes::read(std::move(topology));
  REQUIRE_FALSE(read.diagnostics.empty());
  return read.diagnostics.front().message;
}

std::set<std::pair<VertexId, VertexId>> edges(const Fabric& fabric) {
  std::set<std::pair<VertexId, VertexId>> all;
  for (const DirectedLink& link : fabric.links()) all.emplace(link.from, link.to);
  return all;
}

}  // namespace

TEST_CASE("a hypercube route has as many links as bits differ", "[topologies]") {
  const Blueprint made = built({{"shape", "hypercube"}, {"dimensions", 6}, {"link", cable()}});
  CHECK(made.fabric.host_count() == 64);
  CHECK(made.fabric.links().size() == 2 * 64 * 6 / 2);
  for (unsigned from = 0; from < 64; ++from)
    for (unsigned to = 0; to < 64; ++to) {
      int bits = 0;
      for (unsigned differ = from ^ to; differ != 0; differ &= differ - 1) ++bits;
      if (hops(made, static_cast<int>(from), static_cast<int>(to)) != bits) FAIL(from << " to " << to);
    }
}

// Between opposite corners of a 3-cube there are 6 orders of the bits, each taken with p = 1/6: of n seeds, mean n/6,
// deviation sqrt(5 n/36).
TEST_CASE("ECMP in a hypercube takes every order of the bits equally often", "[topologies]") {
  std::map<std::vector<LinkId>, int> ways;
  const int seeds = 600;
  for (int seed = 0; seed < seeds; ++seed) {
    const Blueprint made =
        built({{"shape", "hypercube"}, {"dimensions", 3}, {"link", cable()}, {"routing", mapping({{"ecmp", seed}})}});
    ++ways[made.fabric.route(0, 7).links];
  }
  CHECK(ways.size() == 6);
  for (const auto& [way, count] : ways) CHECK(std::abs(count - seeds / 6.0) < 5.0 * std::sqrt(seeds * 5.0 / 36.0));
}

TEST_CASE("a random regular graph has its degree, no double cable, the same graph for the same seed", "[topologies]") {
  const auto drawn = [](int nodes, int degree, int seed) {
    return built({{"shape", "expander"}, {"nodes", nodes}, {"degree", degree}, {"seed", seed}, {"link", cable()}});
  };
  for (const auto& [nodes, degree] : {std::pair{10, 3}, std::pair{64, 4}, std::pair{101, 6}, std::pair{8, 7}}) {
    const Blueprint made = drawn(nodes, degree, 1);
    std::map<VertexId, int> count;
    for (const DirectedLink& link : made.fabric.links()) ++count[link.from];
    CHECK(static_cast<int>(count.size()) == nodes);
    for (const auto& [vertex, cables] : count) CHECK(cables == degree);
    CHECK(edges(made.fabric).size() == made.fabric.links().size());
    CHECK_FALSE(made.fabric.unreachable_host());
  }
  CHECK(edges(drawn(64, 4, 1).fabric) == edges(drawn(64, 4, 1).fabric));
  CHECK(edges(drawn(64, 4, 1).fabric) != edges(drawn(64, 4, 2).fabric));
  CHECK(hops(drawn(64, 4, 1), 0, 63) <= 6);  // the circulant it came from needs up to 16
}

// Ying et al., NeurIPS 2021: host i and i + 1, 2, 4, ... ; any difference is a sum of at most ceil(log2 n) powers.
TEST_CASE("an exponential graph joins hosts at powers of two and crosses in log2 n steps", "[topologies]") {
  const Blueprint made = built({{"shape", "expander"}, {"kind", "exponential"}, {"nodes", 32}, {"link", cable()}});
  CHECK(made.fabric.links().size() == 2 * (4 * 32 + 16));  // steps 1, 2, 4, 8 and, both ways the same, 16
  int longest = 0;
  for (int to = 1; to < 32; ++to) longest = std::max(longest, hops(made, 0, to));
  CHECK(longest == 3);  // signed sums of powers: 11 = 8 + 4 - 1
  for (const int step : {1, 2, 4, 8, 16}) CHECK(hops(made, 5, (5 + step) % 32) == 1);
  CHECK(hops(made, 3, 3 + 7) == 2);  // 8 - 1
}

// Kim et al., ISCA 2008: a minimal route crosses at most local, global, local; with g = a h + 1 every pair of groups
// has one global link.
TEST_CASE("a dragonfly's minimal route has one global link, a Valiant route two", "[topologies]") {
  const auto dragonfly = [](const models::Node& routing) {
    return built({{"shape", "dragonfly"},
                  {"nodes", 72},
                  {"groups", 9},
                  {"routers_per_group", 4},
                  {"global_links_per_router", 2},
                  {"inter_node", cable()},
                  {"global", cable("20 GB/s")},
                  {"routing", routing}});
  };
  const Blueprint minimal = dragonfly(mapping({{"ecmp", 1}})), valiant = dragonfly(mapping({{"valiant", 1}}));
  CHECK(minimal.fabric.links().size() == 2 * (72 + 9 * 6 + 36));
  const auto globals = [](const Blueprint& made, int from, int to) {
    int count = 0;
    for (const LinkId link : made.fabric.route(from, to).links)
      count += made.fabric.properties_of(link).name == "global";
    return count;
  };
  int longest = 0, longest_valiant = 0;
  std::map<std::string, int> through;
  for (int from = 0; from < 72; ++from)
    for (int to = 0; to < 72; ++to) {
      if (from == to) continue;
      const bool same = from / 8 == to / 8;
      if (globals(minimal, from, to) != (same ? 0 : 1) || globals(valiant, from, to) != (same ? 0 : 2))
        FAIL(from << " to " << to);
      longest = std::max(longest, hops(minimal, from, to));
      longest_valiant = std::max(longest_valiant, hops(valiant, from, to));
    }
  CHECK(longest == 5);
  CHECK(longest_valiant == 7);
}

// All hosts of a group talk to the next group: minimal routes share one link, Valiant's spread over the other groups.
TEST_CASE("Valiant routes relieve the one link between two groups", "[topologies]") {
  const auto busiest = [](std::vector<shapes::Pair> more) {
    std::vector<shapes::Pair> topology{
        {"shape", "dragonfly"},         {"nodes", 272},         {"groups", 17}, {"routers_per_group", 8},
        {"global_links_per_router", 2}, {"inter_node", cable()}};
    for (shapes::Pair& pair : more) topology.push_back(std::move(pair));
    const Blueprint made = built(std::move(topology));
    std::map<LinkId, int> uses;
    for (int host = 0; host < 16; ++host)
      for (const LinkId link : made.fabric.route(host, 16 + host).links)
        if (made.fabric.properties_of(link).name == "global") ++uses[link];
    int most = 0;
    for (const auto& [link, count] : uses) most = std::max(most, count);
    return most;
  };
  CHECK(busiest({}) == 16);
  CHECK(busiest({{"routing", mapping({{"valiant", 4}})}}) <= 5);  // 16 balls in 15 urns
}

TEST_CASE("between sites a route goes over gateways, and through the hub where there is one", "[topologies]") {
  const auto wan = [](const char* layout) {
    const auto site = [](const char* name) {
      return mapping({{"name", name}, {"shape", "star"}, {"nodes", 2}, {"link", cable("10 Gb/s", "5 us")}});
    };
    return built({{"shape", "wan"},
                  {"layout", layout},
                  {"inter_site", cable("1 Gb/s", "30 ms")},
                  {"sites", list({site("oslo"), site("paris"), site("rome")})}});
  };
  const Blueprint full = wan("full"), hub = wan("hub");
  const Route direct = full.fabric.route(3, 4), detour = hub.fabric.route(3, 4);
  CHECK(direct.latency.value == Approx(30e-3 + 10e-6));
  CHECK(detour.latency.value == Approx(60e-3 + 10e-6));
  std::vector<std::string> names;
  for (const LinkId link : direct.links) names.push_back(full.fabric.link_name(link));
  CHECK(names ==
        std::vector<std::string>{"paris.node1 -> paris.switch (paris.link)", "paris.switch -> paris.gateway (gateway)",
                                 "paris.gateway -> rome.gateway (inter_site)", "rome.gateway -> rome.switch (gateway)",
                                 "rome.switch -> rome.node0 (rome.link)"});
  CHECK(full.fabric.route(2, 3).links.size() == 2);
  CHECK(full.node == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(full.fabric.capacity(direct.links[1]).value == Approx(250e6));  // two long links of 125 MB/s
}

TEST_CASE("mistakes in expanders, dragonflies and WANs are named", "[topologies]") {
  CHECK(first_mistake({{"shape", "expander"}, {"nodes", 7}, {"degree", 3}, {"link", cable()}}) ==
        "an odd number of hosts cannot all have an odd number of neighbours");
  CHECK(first_mistake({{"shape", "expander"}, {"nodes", 4}, {"degree", 4}, {"link", cable()}}) ==
        "a host has at most as many neighbours as there are other hosts");
  CHECK(first_mistake({{"shape", "expander"}, {"nodes", 8}, {"degree", 2}, {"link", cable()}}) ==
        "a random graph of degree 1 or 2 falls apart");
  CHECK(first_mistake(
            {{"shape", "dragonfly"}, {"nodes", 8}, {"groups", 6}, {"routers_per_group", 4}, {"inter_node", cable()}}) ==
        "a group has 4 global links, fewer than there are other groups");
  CHECK(first_mistake({{"shape", "dragonfly"},
                       {"nodes", 8},
                       {"groups", 3},
                       {"routers_per_group", 4},
                       {"routing", mapping({})},
                       {"inter_node", cable()}}) == "routing names no rule");
  const models::Node site = mapping({{"name", "a"}, {"shape", "star"}, {"nodes", 2}, {"link", cable()}});
  CHECK(first_mistake({{"shape", "wan"}, {"inter_site", cable()}, {"sites", list({site, site})}}) ==
        "two sites are named 'a'");
  CHECK(first_mistake({{"shape", "wan"},
                       {"sites", list({site})},
                       {"cables", list({mapping({{"between", "a--b"}, {"link", cable()}})})}}) ==
        "there is no site 'b'");
  CHECK(first_mistake({{"shape", "wan"},
                       {"sites", list({site})},
                       {"cables", list({mapping({{"between", "a-b"}, {"link", cable()}})})}}) == "'a-b' is not a pair");
  CHECK(first_mistake(
            {{"shape", "wan"}, {"inter_site", cable()}, {"layout", "hub"}, {"hub", "b"}, {"sites", list({site})}}) ==
        "there is no site 'b'");
}
