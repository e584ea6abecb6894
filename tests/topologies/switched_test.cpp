// Leaf-spine and rail-optimized networks: closed forms of their routes.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/topologies/shapes.hpp"

using namespace topologies;
using documents::mapping;
using shapes::built;
using shapes::cable;

namespace {

int hops(const Blueprint& made, int from, int to) { return static_cast<int>(made.fabric.route(from, to).links.size()); }

std::vector<std::string> names(const Blueprint& made, int from, int to) {
  std::vector<std::string> all;
  for (const LinkId link : made.fabric.route(from, to).links) all.push_back(made.fabric.link_name(link));
  return all;
}

std::string first_mistake(std::vector<shapes::Pair> topology) {
  const shapes::Read read = shapes::read(std::move(topology));
  REQUIRE_FALSE(read.diagnostics.empty());
  return read.diagnostics.front().message;
}

}  // namespace

TEST_CASE("a leaf-spine route is two links under a leaf and four across", "[topologies]") {
  const Blueprint made =
      built({{"shape", "leaf_spine"}, {"nodes", 12}, {"leaves", 3}, {"spines", 2}, {"inter_node", cable()}});
  CHECK(hops(made, 0, 3) == 2);
  CHECK(hops(made, 0, 4) == 4);
  CHECK(names(made, 1, 6) == std::vector<std::string>{"node1 -> leaf0 (inter_node)", "leaf0 -> spine0 (uplink)",
                                                      "spine0 -> leaf1 (uplink)", "leaf1 -> node6 (inter_node)"});
  CHECK(made.fabric.links().size() == 2 * (12 + 3 * 2));
}

// 8 ports of 10 GB/s under a leaf, 4 cables up: 2:1 needs 10 GB/s each, 1:1 20 GB/s.
TEST_CASE("an oversubscription sets the bandwidth of the uplinks", "[topologies]") {
  for (const auto& [ratio, bandwidth] : {std::pair{"1", 20e9}, std::pair{"2", 10e9}, std::pair{"0.5", 40e9}}) {
    const Blueprint made = built({{"shape", "leaf_spine"},
                                  {"nodes", 8},
                                  {"gpus_per_node", 4},
                                  {"nics_per_node", 2},
                                  {"nodes_per_leaf", 4},
                                  {"spines", 4},
                                  {"oversubscription", ratio},
                                  {"intra_node", cable()},
                                  {"inter_node", cable("10 GB/s")}});
    const Route route = made.fabric.route(0, 31);
    REQUIRE(route.links.size() == 4);
    CHECK(made.fabric.capacity(route.links[1]).value == Approx(bandwidth));
    CHECK(made.fabric.capacity(route.links[0]).value == Approx(10e9));
  }
}

// By destination, 1:1: a shift of all hosts uses every uplink and downlink once.
TEST_CASE("a leaf-spine network of equal counts carries any shift without contention", "[topologies]") {
  const Blueprint made =
      built({{"shape", "leaf_spine"}, {"nodes", 16}, {"leaves", 4}, {"spines", 4}, {"inter_node", cable()}});
  for (int shift = 1; shift < 16; ++shift) {
    std::vector<int> uses(made.fabric.links().size());
    for (int host = 0; host < 16; ++host)
      for (const LinkId link : made.fabric.route(host, (host + shift) % 16).links)
        ++uses[static_cast<std::size_t>(link)];
    CHECK(*std::max_element(uses.begin(), uses.end()) == 1);
  }
}

// Of n = 64 x 64 pairs between two leaves each takes spine s with p = 1/8: mean n p, variance n p (1 - p); 5 deviations
// are exceeded once in 3.5 million.
TEST_CASE("ECMP spreads pairs over equal ways within the binomial deviation, the same for the same seed",
          "[topologies]") {
  const auto seeded = [](int seed) {
    return built({{"shape", "leaf_spine"},
                  {"nodes", 128},
                  {"leaves", 2},
                  {"spines", 8},
                  {"inter_node", cable()},
                  {"routing", mapping({{"ecmp", seed}})}});
  };
  const Blueprint one = seeded(1), again = seeded(1), other = seeded(2);
  std::vector<int> uses(one.fabric.links().size());
  int differ = 0;
  for (int from = 0; from < 64; ++from)
    for (int to = 64; to < 128; ++to) {
      const std::vector<LinkId> links = one.fabric.route(from, to).links;
      CHECK(links == again.fabric.route(from, to).links);
      differ += links != other.fabric.route(from, to).links;
      ++uses[static_cast<std::size_t>(links[1])];
    }
  const double pairs = 64.0 * 64.0, share = 1.0 / 8.0;
  const double mean = pairs * share, deviation = std::sqrt(pairs * share * (1.0 - share));
  int spines = 0;
  for (const int use : uses)
    if (use > 0) {
      ++spines;
      CHECK(std::abs(use - mean) < 5.0 * deviation);
    }
  CHECK(spines == 8);
  CHECK(std::abs(differ - pairs * (1.0 - share)) < 5.0 * deviation);
}

TEST_CASE("rails: GPU i talks to GPU i over one switch, to others inside its node first or over a spine",
          "[topologies]") {
  const auto rails = [](const char* forwarding) {
    return built({{"shape", "rail_optimized"},
                  {"nodes", 4},
                  {"gpus_per_node", 2},
                  {"spines", 1},
                  {"forwarding", forwarding},
                  {"inter_node", cable()},
                  {"intra_node", cable("100 GB/s")}});
  };
  const Blueprint forwarding = rails("true"), plain = rails("false");
  CHECK(forwarding.node == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3});
  const std::vector<std::string> rail{"node0.gpu1 -> rail1 (inter_node)", "rail1 -> node2.gpu1 (inter_node)"};
  CHECK(names(forwarding, 1, 5) == rail);
  CHECK(names(plain, 1, 5) == rail);
  CHECK(names(forwarding, 0, 5) == std::vector<std::string>{"node0.gpu0 -> node0.switch (intra_node)",
                                                            "node0.switch -> node0.gpu1 (intra_node)", rail[0],
                                                            rail[1]});
  CHECK(names(plain, 0, 5) == std::vector<std::string>{"node0.gpu0 -> rail0 (inter_node)", "rail0 -> spine0 (uplink)",
                                                       "spine0 -> rail1 (uplink)", rail[1]});
  CHECK(hops(forwarding, 0, 1) == 2);
}

TEST_CASE("mistakes in leaf-spine and rail-optimized networks are named", "[topologies]") {
  CHECK(first_mistake({{"shape", "leaf_spine"}, {"nodes", 2}, {"leaves", 3}, {"spines", 1}, {"inter_node", cable()}}) ==
        "there are more leaves than nodes");
  CHECK(first_mistake({{"shape", "leaf_spine"},
                       {"nodes", 4},
                       {"leaves", 2},
                       {"nodes_per_leaf", 2},
                       {"spines", 1},
                       {"inter_node", cable()}}) == "nodes_per_leaf and leaves say the same");
  CHECK(first_mistake({{"shape", "leaf_spine"},
                       {"nodes", 4},
                       {"leaves", 2},
                       {"spines", 1},
                       {"uplink", cable()},
                       {"oversubscription", 2},
                       {"inter_node", cable()}}) == "uplinks have a link or an oversubscription, not both");
  CHECK(first_mistake(
            {{"shape", "leaf_spine"}, {"nodes", 65536}, {"leaves", 2048}, {"spines", 1024}, {"inter_node", cable()}}) ==
        "leaves and spines have more than 1048576 cables between them");
  CHECK(first_mistake({{"shape", "rail_optimized"},
                       {"nodes", 4},
                       {"gpus_per_node", 2},
                       {"spines", 0},
                       {"forwarding", "false"},
                       {"inter_node", cable()},
                       {"intra_node", cable()}}) ==
        "without spines, rails of several pods and messages between rails have no way");
  CHECK(first_mistake({{"shape", "leaf_spine"},
                       {"nodes", 4},
                       {"leaves", 2},
                       {"spines", 1},
                       {"gpus_per_node", 2},
                       {"nics_per_node", 4},
                       {"intra_node", cable()},
                       {"inter_node", cable()}}) == "a node has more NICs than GPUs, and a GPU uses one NIC");
}
