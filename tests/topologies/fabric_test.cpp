#include "topologies/fabric/fabric.hpp"

#include <catch2/catch.hpp>

#include "models/base/error.hpp"

using namespace topologies;
using namespace models::literals;

namespace {

LinkProperties properties(double latency_us, Transport transport = {}) {
  LinkProperties made;
  made.name = "link";
  made.bandwidth = 1_GBps;
  made.latency = {latency_us * 1e-6};
  made.transport = std::move(transport);
  return made;
}

}  // namespace

TEST_CASE("shortest paths take the fewest links, ties the lowest id", "[topologies]") {
  Fabric fabric;
  const VertexId a = fabric.add_host("a"), b = fabric.add_host("b");
  const VertexId left = fabric.add_switch("left"), right = fabric.add_switch("right");
  const std::int32_t cable = fabric.add_properties(properties(1.0));
  const LinkId to_left = fabric.connect(a, left, cable), to_right = fabric.connect(a, right, cable);
  const LinkId left_to_b = fabric.connect(left, b, cable);
  const LinkId right_to_b = fabric.connect(right, b, cable);
  CHECK(fabric.route(0, 1).links == std::vector<LinkId>{to_left, left_to_b});
  CHECK(fabric.route(1, 0).links == std::vector<LinkId>{fabric.reverse(left_to_b), fabric.reverse(to_left)});
  CHECK(fabric.reverse(fabric.reverse(right_to_b)) == right_to_b);
  CHECK(fabric.route(0, 0).links.empty());
  CHECK(to_right != to_left);
}

TEST_CASE("routes pass through hosts only where the fabric lets them", "[topologies]") {
  const auto chain = [] {
    Fabric fabric;
    const std::int32_t cable = fabric.add_properties(properties(1.0));
    const VertexId a = fabric.add_host("a"), b = fabric.add_host("b"), c = fabric.add_host("c");
    fabric.connect(a, b, cable);
    fabric.connect(b, c, cable);
    return fabric;
  };
  const Fabric closed = chain();
  CHECK(closed.unreachable_host() == 2);
  CHECK_THROWS_AS(closed.route(0, 2), models::Bug);
  CHECK(closed.route(0, 1).links.size() == 1);
  Fabric open = chain();
  open.set_forwarding(Forwarding::hosts_too);
  CHECK_FALSE(open.unreachable_host());
  CHECK(open.route(2, 0).links.size() == 2);
}

TEST_CASE("a half-duplex cable is one link both ways", "[topologies]") {
  Fabric fabric;
  LinkProperties half = properties(1.0);
  half.duplex = Duplex::half;
  const VertexId a = fabric.add_host("a"), b = fabric.add_host("b");
  const LinkId only = fabric.connect(a, b, fabric.add_properties(half));
  CHECK(fabric.links().size() == 1);
  CHECK(fabric.route(0, 1).links == fabric.route(1, 0).links);
  CHECK(fabric.reverse(only) == only);
  CHECK(fabric.link_name(only) == "a -- b (link)");
}

// Two links of 10 us: round trip 40 us. Ceiling: the least of 2 flows x 1 GB/s and 2 flows x 20 KB / 40 us = 1 GB/s.
TEST_CASE("a route's ceiling is the least of its transports', for all connections together", "[topologies]") {
  Fabric fabric;
  Transport capped;
  capped.flow_ceiling = 1_GBps;
  capped.flows_per_peer = 2;
  capped.start_up = 3_us;
  Transport windowed;
  windowed.window = 20_KB;
  windowed.flows_per_peer = 2;
  windowed.goodput = 0.5;
  const VertexId a = fabric.add_host("a"), b = fabric.add_host("b"), middle = fabric.add_switch("middle");
  fabric.connect(a, middle, fabric.add_properties(properties(10.0, capped)));
  const LinkId second = fabric.connect(middle, b, fabric.add_properties(properties(10.0, windowed)));
  const Route route = fabric.route(0, 1);
  CHECK(route.latency.value == Approx(20e-6));
  CHECK(route.start_up.value == Approx(3e-6));
  REQUIRE(route.ceiling);
  CHECK(route.ceiling->value == Approx(1e9));
  CHECK(fabric.capacity(second).value == 0.5e9);
}

TEST_CASE("a link without bandwidth or a cable to nowhere is a bug", "[topologies]") {
  Fabric fabric;
  CHECK_THROWS_AS(fabric.add_properties(LinkProperties{}), models::Bug);
  const VertexId a = fabric.add_host("a");
  const std::int32_t cable = fabric.add_properties(properties(1.0));
  CHECK_THROWS_AS(fabric.connect(a, a, cable), models::Bug);
  CHECK_THROWS_AS(fabric.connect(a, 7, cable), models::Bug);
}
