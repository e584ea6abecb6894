#include "topologies/fabric/limits.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace {

topologies::Fabric two_hosts() {
  topologies::Fabric fabric;
  fabric.add_host("node0.gpu0");
  fabric.add_host("node1.gpu0");
  const auto core = fabric.add_switch("core");
  topologies::LinkProperties cable;
  cable.name = "cable";
  cable.bandwidth = {1e9};
  cable.latency = {1e-6};
  const auto properties = fabric.add_properties(cable);
  for (int i = 0; i < 2; ++i) fabric.connect(fabric.host(i), core, properties);
  return fabric;
}

std::vector<std::string> names_on(const topologies::Fabric& fabric) {
  std::vector<std::string> names;
  for (const topologies::LinkId link : fabric.route(0, 1).links) names.push_back(fabric.link_name(link));
  return names;
}

}  // namespace

TEST_CASE("a route crosses the limits of the switches and hosts on its way, once each and without latency",
          "[limits]") {
  topologies::Fabric fabric = two_hosts();
  topologies::apply({{"core", {5e8}, {}}, {"*.gpu*", {2e8}, {}}}, fabric);
  CHECK(names_on(fabric) == std::vector<std::string>{"node0.gpu0 (limit)", "node0.gpu0 -> core (cable)", "core (limit)",
                                                     "core -> node1.gpu0 (cable)", "node1.gpu0 (limit)"});
  CHECK(fabric.route(0, 1).latency.value == Approx(2e-6));
  CHECK(fabric.route(1, 0).links.size() == 5);
  CHECK_FALSE(fabric.unreachable_host().has_value());
}

TEST_CASE("the first limit that names a vertex counts", "[limits]") {
  topologies::Fabric fabric = two_hosts();
  topologies::apply({{"node1*", {5e8}, {}}, {"*", {2e8}, {}}}, fabric);
  const auto links = fabric.route(0, 1).links;
  CHECK(fabric.capacity(links.front()).value == 2e8);
  CHECK(fabric.capacity(links.back()).value == 5e8);
}

TEST_CASE("a limit that names nothing is an error", "[limits]") {
  topologies::Fabric fabric = two_hosts();
  CHECK_THROWS_WITH(topologies::apply({{"spine*", {5e8}, {}}}, fabric),
                    Catch::Contains("no switch, NIC or host is named 'spine*'"));
}
