#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/networks.hpp"

using support::Backend;
using support::Timed;

namespace {

constexpr double bandwidth = 1e9, latency = 1e-6;

std::vector<double> ends(const topologies::World& world, Backend backend, const std::vector<Timed>& flows) {
  return support::numbers_in_child([&] {
    support::Setup setup(world, backend);
    support::Flows all(setup, flows);
    const double last = setup.core.run().time.value;
    all.ends.push_back(last);
    return all.ends;
  });
}

sim::Flow flow(int from, int to, double bytes) { return {from, to, {bytes}, 0, {}}; }

void same(const std::vector<double>& seen, const std::vector<double>& wanted, double relative) {
  REQUIRE(seen.size() == wanted.size() + 1);
  for (std::size_t i = 0; i < wanted.size(); ++i) REQUIRE(seen[i] == Approx(wanted[i]).epsilon(relative).margin(0.0));
  // The clock stops at the last end: no stale event moved it on.
  REQUIRE(seen.back() == *std::max_element(seen.begin(), seen.end() - 1));
}

}  // namespace

TEST_CASE("a lone flow takes its latency and its bytes over the rate", "[network]") {
  const auto world = support::star(2, support::cable(bandwidth, latency));
  const std::vector<double> wanted{2 * latency + 1e9 / bandwidth};
  same(ends(world, Backend::fluid, {{0.0, flow(0, 1, 1e9)}}), wanted, 1e-12);
  same(ends(world, Backend::simgrid, {{0.0, flow(0, 1, 1e9)}}), wanted, 1e-6);
}

TEST_CASE("start-up, goodput and a ceiling shape a lone flow", "[network]") {
  auto link = support::cable(bandwidth, latency);
  link.transport.goodput = 0.9;
  link.transport.start_up = models::Seconds{1e-3};
  link.transport.flow_ceiling = models::BytesPerSecond{1e8};
  link.transport.flows_per_peer = 2;
  const auto world = support::star(2, link);
  const std::vector<double> wanted{1e-3 + 2 * latency + 1e8 / 2e8};
  same(ends(world, Backend::fluid, {{0.0, flow(0, 1, 1e8)}}), wanted, 1e-12);
  same(ends(world, Backend::simgrid, {{0.0, flow(0, 1, 1e8)}}), wanted, 1e-6);
}

TEST_CASE("two flows on one link halve it, from when they are two until they are one", "[network]") {
  const auto world = support::star(3, support::cable(bandwidth, 0.5 * latency));
  // Both end in host 2. The first has 1 s alone and moves 1e9 B; then both move at half the rate: its last 1e9 B take 2
  // s. The second has moved 1e9 B by then and has 2e9 B left for itself: 2 s.
  const std::vector<Timed> flows{{0.0, flow(0, 2, 2e9)}, {1.0, flow(1, 2, 3e9)}};
  const std::vector<double> wanted{latency + 3.0, latency + 5.0};
  same(ends(world, Backend::fluid, flows), wanted, 1e-12);
  same(ends(world, Backend::simgrid, flows), wanted, 1e-6);
}

TEST_CASE("a capped flow leaves the rest of the link to the others", "[network]") {
  // Host 0's cable caps a flow at 1e8; the cables of hosts 1 and 2 do not.
  topologies::World world = support::with_hosts(3);
  auto capped = support::cable(bandwidth, 0.5 * latency);
  capped.transport.flow_ceiling = models::BytesPerSecond{1e8};
  const auto hub = world.fabric.add_switch("hub");
  const auto slow = world.fabric.add_properties(capped);
  const auto fast = world.fabric.add_properties(support::cable(bandwidth, 0.5 * latency));
  world.fabric.connect(world.fabric.host(0), hub, slow);
  world.fabric.connect(world.fabric.host(1), hub, fast);
  world.fabric.connect(world.fabric.host(2), hub, fast);
  const std::vector<Timed> flows{{0.0, flow(0, 2, 1e9)}, {0.0, flow(1, 2, 1.8e9)}};
  const std::vector<double> wanted{latency + 10.0, latency + 2.0};
  same(ends(world, Backend::fluid, flows), wanted, 1e-12);
  same(ends(world, Backend::simgrid, flows), wanted, 1e-6);
}

TEST_CASE("no bytes and no way take the latency only", "[network]") {
  const auto world = support::star(2, support::cable(bandwidth, latency));
  same(ends(world, Backend::fluid, {{1.0, flow(0, 1, 0.0)}, {1.0, flow(1, 1, 1e9)}}), {1.0 + 2 * latency, 1.0}, 1e-12);
  same(ends(world, Backend::simgrid, {{1.0, flow(0, 1, 0.0)}, {1.0, flow(1, 1, 1e9)}}), {1.0 + 2 * latency, 1.0},
       1e-12);
}

TEST_CASE("a half-duplex cable is shared by its two directions", "[network]") {
  auto link = support::cable(bandwidth, 0.5 * latency);
  link.duplex = topologies::Duplex::half;
  const auto world = support::star(2, link);
  same(ends(world, Backend::fluid, {{0.0, flow(0, 1, 1e9)}, {0.0, flow(1, 0, 1e9)}}), {latency + 2.0, latency + 2.0},
       1e-12);
}

TEST_CASE("ends at one instant are told in the order of starts", "[network]") {
  const auto world = support::star(4, support::cable(bandwidth, latency));
  support::Setup setup(world, Backend::fluid);
  support::Flows flows(setup, {{0.0, flow(2, 3, 1e6)}, {0.0, flow(0, 3, 1e6)}, {0.0, flow(1, 3, 1e6)}});
  setup.core.run();
  REQUIRE(flows.order == std::vector<std::uint64_t>{0, 1, 2});
}

TEST_CASE("links count the bytes they carried and the time they were busy", "[network]") {
  const auto world = support::star(3, support::cable(bandwidth, 0.0));
  support::Setup setup(world, Backend::fluid);
  support::Flows flows(setup, {{0.0, flow(0, 2, 1e9)}, {0.0, flow(1, 2, 1e9)}, {3.0, flow(0, 1, 5e8)}});
  setup.core.run();
  const auto usage = setup.network->usage();
  REQUIRE(usage[0].bytes == 1.5e9);  // out of host 0
  REQUIRE(usage[0].busy_s == Approx(2.5).epsilon(1e-12));
  REQUIRE(usage[5].bytes == 2e9);  // into host 2
  REQUIRE(usage[5].busy_s == Approx(2.0).epsilon(1e-12));
  REQUIRE(setup.network->active() == 0);
}

TEST_CASE("a bundle is as many transfers at one rate as it says", "[network]") {
  // Three transfers over link 0 as one variable, and one flow beside them: a quarter of the link each.
  const auto world = support::star(2, support::cable(bandwidth, 0.0));
  support::Setup setup(world, Backend::fluid);
  support::Flows flows(setup, {{0.0, flow(0, 1, 1e9)}});
  struct Seen final : sim::FlowObserver {
    sim::Core* core = nullptr;
    double end = 0.0;
    void flow_ended(std::uint64_t) override { end = core->now().value; }
  } seen;
  seen.core = &setup.core;
  setup.network->start(sim::Bundle{{0}, {3}, {5e8}, {}, 0.0, 3, 0}, seen);
  setup.core.run();
  REQUIRE(seen.end == Approx(2.0).epsilon(1e-12));
  REQUIRE(flows.ends[0] == Approx(2.5).epsilon(1e-12));
  REQUIRE(setup.network->usage()[0].bytes == 2.5e9);
}
