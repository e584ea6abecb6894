// Properties over the table of shapes, and closed forms of each.

#include "topologies/builder/builder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <map>
#include <set>

#include "models/base/error.hpp"
#include "tests/topologies/shapes.hpp"

using namespace topologies;
using documents::list;
using documents::mapping;
using documents::scalar;
using shapes::built;
using shapes::cable;

namespace {

// Whether the links lead from one end to the other; a way between nodes without a host_link begins and ends at the
// NICs.
bool leads(const Fabric& fabric, const Route& route, int from, int to) {
  const auto is_nic = [&](VertexId v) {
    return fabric.vertices()[static_cast<std::size_t>(v)].name.find(".nic") != std::string::npos;
  };
  VertexId here = fabric.host(from);
  bool first = true;
  for (const LinkId id : route.links) {
    const DirectedLink& ends = fabric.links()[static_cast<std::size_t>(id)];
    if (first && is_nic(ends.from)) here = ends.from;
    first = false;
    if (ends.from == here)
      here = ends.to;
    else if (ends.to == here && fabric.properties_of(id).duplex == Duplex::half)
      here = ends.from;
    else
      return false;
  }
  return here == fabric.host(to) || is_nic(here);
}

std::vector<int> uses(const Fabric& fabric, int shift) {
  std::vector<int> count(fabric.links().size());
  for (int host = 0; host < fabric.host_count(); ++host)
    for (const LinkId id : fabric.route(host, (host + shift) % fabric.host_count()).links)
      ++count[static_cast<std::size_t>(id)];
  return count;
}

}  // namespace

TEST_CASE("every shape is sampled", "[topologies]") {
  std::set<std::string> seen;
  for (const auto& sample : shapes::samples()) seen.insert(sample.front().value.text);
  for (const auto& row : builders().rows()) CHECK(seen.count(std::string(row.name)) == 1);
}

TEST_CASE("a fabric routes between any two hosts, over links that lead there, none twice, as many back",
          "[topologies]") {
  for (const auto& sample : shapes::samples()) {
    const Blueprint made = built(sample);
    const Fabric& fabric = made.fabric;
    INFO(sample.front().value.text << " of " << fabric.host_count());
    CHECK_FALSE(fabric.unreachable_host());
    int wrong = 0;
    for (int from = 0; from < fabric.host_count(); ++from)
      for (int to = 0; to < fabric.host_count(); ++to) {
        const Route route = fabric.route(from, to);
        const std::set<LinkId> distinct(route.links.begin(), route.links.end());
        double latency = 0.0;
        for (const LinkId id : route.links) latency += fabric.properties_of(id).latency.value;
        const bool half = std::any_of(route.links.begin(), route.links.end(),
                                      [&](LinkId id) { return fabric.properties_of(id).duplex == Duplex::half; });
        wrong +=
            !leads(fabric, route, from, to) || route.links.empty() != (from == to) || latency != route.latency.value;
        wrong += !half && distinct.size() != route.links.size();
        wrong += fabric.route(to, from).links.size() != route.links.size();
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a shape's rule takes no more links than the shortest path", "[topologies]") {
  for (const char* shape : {"star", "ring", "full", "torus", "fat_tree", "hypercube", "expander"})
    for (const auto& sample : shapes::samples()) {
      if (sample.front().value.text != shape) continue;
      const Blueprint ruled = built(sample);
      Blueprint searched = built(sample);
      searched.fabric.set_route_rule(nullptr);
      searched.fabric.set_forwarding(Forwarding::hosts_too);
      int longer = 0;
      for (int from = 0; from < ruled.fabric.host_count(); ++from)
        for (int to = 0; to < ruled.fabric.host_count(); ++to)
          longer += ruled.fabric.route(from, to).links.size() != searched.fabric.route(from, to).links.size();
      INFO(shape << " of " << ruled.fabric.host_count());
      CHECK(longer == 0);
    }
}

TEST_CASE("a star's route is two links and twice the latency", "[topologies]") {
  const Blueprint made = built({{"shape", "star"}, {"nodes", 5}, {"link", cable("10 Gb/s", "25 us")}});
  const Route route = made.fabric.route(1, 3);
  CHECK(route.links.size() == 2);
  CHECK(route.latency.value == Approx(50e-6));
  CHECK(made.fabric.link_name(route.links[0]) == "node1 -> switch (link)");
  CHECK(made.fabric.link_name(route.links[1]) == "switch -> node3 (link)");
  CHECK(made.fabric.reverse(route.links[0]) == made.fabric.route(0, 1).links[1]);
  CHECK(made.fabric.capacity(route.links[0]).value == 1.25e9);
}

TEST_CASE("an rtt is twice a latency", "[topologies]") {
  const Blueprint made =
      built({{"shape", "star"}, {"nodes", 2}, {"link", mapping({{"bandwidth", "1 GB/s"}, {"rtt", "20 us"}})}});
  CHECK(made.fabric.route(0, 1).latency.value == Approx(20e-6));
}

TEST_CASE("GPUs of a node share its NICs evenly, inside traffic stays inside", "[topologies]") {
  const Blueprint made = built({{"shape", "star_of_nodes"},
                                {"nodes", 3},
                                {"gpus_per_node", 4},
                                {"nics_per_node", 2},
                                {"inter_node", cable()},
                                {"intra_node", cable("100 GB/s", "2 us")}});
  const Fabric& fabric = made.fabric;
  CHECK(made.node == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(fabric.route(0, 3).latency.value == Approx(4e-6));
  CHECK(fabric.route(0, 4).latency.value == Approx(2e-6));
  CHECK(fabric.route(0, 4).links == fabric.route(1, 5).links);        // NIC 0 of both nodes
  CHECK(fabric.route(2, 4).links[0] != fabric.route(1, 4).links[0]);  // NIC 1, NIC 0
  CHECK(fabric.link_name(fabric.route(2, 4).links[0]) == "node0.nic1 -> core (inter_node)");
}

TEST_CASE("a host link puts the way to the NIC on the route", "[topologies]") {
  const Blueprint made = built({{"shape", "star_of_nodes"},
                                {"nodes", 2},
                                {"gpus_per_node", 2},
                                {"inter_node", cable()},
                                {"intra_node", cable()},
                                {"host_link", cable("16 GB/s", "3 us")}});
  const Route route = made.fabric.route(0, 3);
  CHECK(route.links.size() == 4);
  CHECK(route.latency.value == Approx(8e-6));
  CHECK(made.fabric.link_name(route.links[0]) == "node0.gpu0 -> node0.nic0 (host_link)");
}

// Along a dimension of n the way is at most n/2 links; two hosts of a dimension of 2 share one cable.
TEST_CASE("a torus wraps round", "[topologies]") {
  const Blueprint ring = built({{"shape", "ring"}, {"nodes", 8}, {"link", cable()}});
  CHECK(ring.fabric.route(0, 7).links.size() == 1);
  CHECK(ring.fabric.route(7, 2).links.size() == 3);
  CHECK(ring.fabric.route(0, 4).links.size() == 4);
  CHECK(ring.fabric.links().size() == 16);
  const Blueprint torus = built({{"shape", "torus"}, {"sizes", list({scalar("4"), scalar("6")})}, {"link", cable()}});
  CHECK(torus.fabric.route(0, 3 * 6 + 5).links.size() == 2);  // (0, 0) to (3, 5)
  CHECK(torus.fabric.route(0, 2 * 6 + 3).links.size() == 5);  // half-way round both
  CHECK(torus.fabric.links().size() == 2 * 2 * 24);
  const Blueprint pair = built({{"shape", "torus"}, {"sizes", list({scalar("2"), scalar("2")})}, {"link", cable()}});
  CHECK(pair.fabric.links().size() == 2 * 4);
}

// k = 4: 16 hosts; any shift of all hosts uses each directed link at most once. 3 hosts per way up: three times at
// most, and somewhere it is.
TEST_CASE("a fat tree has full bisection at 1:1 and a third at 3:1", "[topologies]") {
  const Blueprint whole = built({{"shape", "fat_tree"}, {"ports", 4}, {"link", cable()}});
  CHECK(whole.fabric.host_count() == 16);
  for (int shift = 1; shift < 16; ++shift) {
    const std::vector<int> count = uses(whole.fabric, shift);
    CHECK(*std::max_element(count.begin(), count.end()) == 1);
  }
  CHECK(whole.fabric.route(0, 1).links.size() == 2);
  CHECK(whole.fabric.route(0, 2).links.size() == 4);
  CHECK(whole.fabric.route(0, 15).links.size() == 6);
  const Blueprint thin =
      built({{"shape", "fat_tree"}, {"ports", 8}, {"levels", 2}, {"oversubscription", 3}, {"link", cable()}});
  CHECK(thin.fabric.host_count() == 48);
  const std::vector<int> count = uses(thin.fabric, 24);
  CHECK(*std::max_element(count.begin(), count.end()) == 3);
}

TEST_CASE("mistakes in a topology are named", "[topologies]") {
  const auto first = [](std::vector<shapes::Pair> topology) {
    const shapes::Read read = shapes::read(std::move(topology));
    REQUIRE_FALSE(read.diagnostics.empty());
    return read.diagnostics.front().message;
  };
  CHECK(first({{"shape", "star_of_nodes"},
               {"nodes", 2},
               {"gpus_per_node", 2},
               {"nics_per_node", 4},
               {"inter_node", cable()},
               {"intra_node", cable()}}) == "a node has more NICs than GPUs, and a GPU uses one NIC");
  CHECK(first({{"shape", "fat_tree"}, {"ports", 5}, {"link", cable()}}) ==
        "the ports of a fat tree are even and split into 1 part up and 'oversubscription' parts down");
  CHECK(first({{"shape", "fat_tree"}, {"ports", 4}, {"nodes", 17}, {"link", cable()}}) ==
        "this fat tree takes at most 16 hosts, and a cluster 1048576");
  CHECK(first({{"shape", "star"}, {"nodes", 4}}) == "link 'link' has no bandwidth");
  CHECK(first({{"shape", "torus"}, {"sizes", list({scalar("2048"), scalar("2048")})}, {"link", cable()}}) ==
        "the torus has more than 1048576 hosts");
  CHECK(first({{"shape", "star"},
               {"nodes", 2},
               {"link", mapping({{"bandwidth", "1 GB/s"}, {"latency", "1 us"}, {"rtt", "1 us"}})}}) ==
        "a link has a latency or an rtt, not both");
  const auto graph = [&](const char* between) {
    return first({{"shape", "file"},
                  {"graph", mapping({{"nodes", list({mapping({{"hosts", "a[0-3]"}})})},
                                     {"cables", list({mapping({{"between", between}, {"link", cable()}})})}})}});
  };
  CHECK(graph("a0--b") == "'b' is neither a host nor a switch of the graph");
  CHECK(graph("a[0-1]--a[1-3]") == "'a[0-1]--a[1-3]' joins ranges of different length");
  CHECK(graph("a0-a1") == "'a0-a1' is not a pair");
  CHECK(graph("a[3-0]--a1") == "'a[3-0]' is not a name or a range of names");
  CHECK(graph("a1--a1") == "'a1--a1' joins a vertex with itself");
}

TEST_CASE("65,536 GPUs are laid out in under 0.3 s", "[topologies][scale]") {
  const shapes::Read read = shapes::read({{"shape", "star_of_nodes"},
                                          {"nodes", 8192},
                                          {"gpus_per_node", 8},
                                          {"nics_per_node", 8},
                                          {"inter_node", cable()},
                                          {"intra_node", cable()}});
  const std::clock_t start = std::clock();  // of this process: other programs do not count
  const Blueprint made = read.spec.build(read.links);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(made.fabric.host_count() == 65536);
  CHECK_FALSE(made.fabric.unreachable_host());
  CAPTURE(seconds);
  CHECK(seconds < 0.3);
}
