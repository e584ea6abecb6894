// Transports, loss, jitter, shared links and limits on the networks.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/base/random.hpp"
#include "sim/program/direct_exchange.hpp"
#include "sim/program/program.hpp"
#include "tests/support/networks.hpp"

using support::Backend;
using support::Timed;

namespace {

topologies::LinkProperties lossy(double bytes_per_second, double latency_s, double loss) {
  auto link = support::cable(bytes_per_second, latency_s);
  link.transport.name = "tcp";
  link.transport.congestion_control = "linux";
  link.transport.initial_window = 10;
  link.loss.rate = loss;
  return link;
}

topologies::LinkProperties datagrams(double loss) {
  auto link = support::cable(1e8, 1e-3);
  link.transport.name = "udp";
  link.transport.reliability = topologies::Reliability::unreliable;
  link.loss.rate = loss;
  return link;
}

std::vector<double> ends_on(Backend backend, const topologies::World& world, const std::vector<Timed>& flows) {
  return support::numbers_in_child([&] {
    support::Setup setup(world, backend);
    support::Flows all(setup, flows);
    setup.core.run();
    return all.ends;
  });
}

// End of an all-reduce of `bytes`, then 1 when its backend was `expected`.
std::vector<double> all_reduce(const topologies::World& world, sim::Expansion expansion, double bytes,
                               const std::string& expected) {
  return support::numbers_in_child([&] {
    support::Setup setup(world, Backend::fluid, expansion);
    const int group = setup.player.add_group(support::everyone(world));
    support::Plays plays(setup, group,
                         {{0.0, support::call(models::CollectiveKind::all_reduce, "ring", bytes)},
                          {1e3, support::call(models::CollectiveKind::all_reduce, "ring", 64.0 * bytes)}});
    setup.core.run();
    const auto took = [&](std::size_t i) { return (plays.played_[i].end - plays.played_[i].begin).value; };
    return std::vector<double>{took(0), took(1), plays.played_[0].backend == expected ? 1.0 : 0.0,
                               plays.played_[1].backend == expected ? 1.0 : 0.0};
  });
}

}  // namespace

TEST_CASE("fluid and SimGrid's flows draw the same jitter and loss and agree to 1e-6", "[transports]") {
  for (int w = 0; w < 12; ++w) {
    models::Stream draw(3, models::Purpose::routing, static_cast<std::uint32_t>(w), 0);
    auto link = lossy(1e8, 1e-3 + 0.02 * draw.uniform(), 0.05 * draw.uniform());
    link.jitter.mean = {0.003 * draw.uniform()};
    if (w % 3 == 0) link.transport.half_rate_size = {2e5};
    const topologies::World world = support::star(5, link);
    std::vector<Timed> flows;
    for (int i = 0; i < 20; ++i) {
      const int from = static_cast<int>(draw.index(5)), to = (from + 1 + static_cast<int>(draw.index(4))) % 5;
      flows.push_back({0.3 * draw.uniform(), {from, to, {static_cast<double>(10000 + draw.index(3000000))}, 0, {}}});
    }
    const std::vector<double> ours = ends_on(Backend::fluid, world, flows);
    const std::vector<double> theirs = ends_on(Backend::simgrid, world, flows);
    INFO("world " << w);
    for (std::size_t i = 0; i < flows.size(); ++i) REQUIRE(theirs[i] == Approx(ours[i]).epsilon(1e-6).margin(0.0));
  }
}

TEST_CASE("what a message draws does not depend on messages between other hosts", "[transports]") {
  auto link = support::cable(1e9, 1e-3);
  link.jitter.mean = {0.01};
  const topologies::World world = support::star(6, link);
  const std::vector<Timed> alone{{0.0, {0, 1, {0.0}, 0, {}}}, {1.0, {0, 1, {0.0}, 0, {}}}};
  std::vector<Timed> among{{0.0, {2, 3, {0.0}, 0, {}}}, {0.0, {4, 5, {0.0}, 0, {}}}};
  among.insert(among.end(), alone.begin(), alone.end());
  const std::vector<double> one = ends_on(Backend::fluid, world, alone), other = ends_on(Backend::fluid, world, among);
  CHECK(one[0] == other[2]);
  CHECK(one[1] == other[3]);
  CHECK(one[1] - 1.0 != one[0]);
  CHECK(other[0] != other[1]);
}

TEST_CASE("a half-duplex cable halves two opposite flows, a full-duplex one neither", "[transports]") {
  auto link = support::cable(1e8, 0.0);
  const std::vector<Timed> flows{{0.0, {0, 1, {1e8}, 0, {}}}, {0.0, {1, 0, {1e8}, 0, {}}}};
  for (const Backend backend : {Backend::fluid, Backend::simgrid}) {
    link.duplex = topologies::Duplex::full;
    CHECK(ends_on(backend, support::full(2, link), flows)[0] == Approx(1.0).epsilon(1e-6));
    link.duplex = topologies::Duplex::half;
    CHECK(ends_on(backend, support::full(2, link), flows)[1] == Approx(2.0).epsilon(1e-6));
  }
}

TEST_CASE("a switch or host with a limit shares it among all its flows", "[transports]") {
  const std::vector<Timed> flows{{0.0, {0, 1, {1e8}, 0, {}}}, {0.0, {2, 3, {1e8}, 0, {}}}};
  topologies::LinkProperties limit = support::cable(1e8, 0.0);
  limit.duplex = topologies::Duplex::half;
  topologies::World world = support::star(4, support::cable(1e8, 0.0));
  CHECK(ends_on(Backend::fluid, world, flows)[0] == Approx(1.0).epsilon(1e-9));
  world.fabric.add_limit(4, world.fabric.add_properties(limit));  // the hub
  for (const Backend backend : {Backend::fluid, Backend::simgrid})
    CHECK(ends_on(backend, world, flows)[0] == Approx(2.0).epsilon(1e-6));

  topologies::World nic = support::star(4, support::cable(1e8, 0.0));
  nic.fabric.add_limit(nic.fabric.host(0), nic.fabric.add_properties(limit));
  const std::vector<Timed> both_ways{{0.0, {0, 1, {1e8}, 0, {}}}, {0.0, {2, 0, {1e8}, 0, {}}}};
  CHECK(ends_on(Backend::fluid, nic, both_ways)[1] == Approx(2.0).epsilon(1e-9));
}

TEST_CASE("where messages draw their delay, auto plays them one by one and collapsed says approximate",
          "[transports]") {
  auto link = support::cable(1e9, 1e-4);
  link.jitter.mean = {1e-3};
  const topologies::World world = support::star(8, link);
  const auto expanded = all_reduce(world, sim::Expansion::expanded, 1e6, "fluid");
  const auto automatic = all_reduce(world, sim::Expansion::automatic, 1e6, "fluid");
  const auto collapsed = all_reduce(world, sim::Expansion::collapsed, 1e6, "approximate");
  CHECK(automatic == expanded);
  CHECK((automatic[2] == 1.0 && automatic[3] == 1.0));
  CHECK((collapsed[2] == 1.0 && collapsed[3] == 1.0));
  CHECK(collapsed[0] < expanded[0]);  // it takes the mean for every one, not the slowest
}

TEST_CASE("a size ramp keeps collectives collapsed, each size at its own efficiency", "[transports]") {
  auto link = support::cable(1e9, 1e-4);
  link.transport.half_rate_size = {1e6};
  const topologies::World world = support::star(8, link);
  const auto expanded = all_reduce(world, sim::Expansion::expanded, 1e6, "fluid");
  const auto collapsed = all_reduce(world, sim::Expansion::automatic, 1e6, "collapsed");
  CHECK((collapsed[2] == 1.0 && collapsed[3] == 1.0));
  CHECK(collapsed[0] == Approx(expanded[0]).epsilon(1e-9));
  CHECK(collapsed[1] == Approx(expanded[1]).epsilon(1e-9));
  // 14 rounds of 125 kB at 1 GB/s x 125 / 1125: two links of latency before each.
  CHECK(expanded[0] == Approx(14.0 * (2e-4 + 125e3 / (1e9 * 125.0 / 1125.0))).epsilon(1e-9));
}

TEST_CASE("what an unreliable transport lost is told before the end and can be asked again", "[transports]") {
  class Lost final : public sim::FlowObserver {
   public:
    double bytes = 0.0, ended = 0.0;
    std::vector<std::uint32_t> numbers;

   private:
    void flow_ended(std::uint64_t) override { ++ended; }
    void flow_lost(std::uint64_t, std::uint32_t number, models::Bytes lost) override {
      bytes += lost.value;
      numbers.push_back(number);
    }
  };
  for (const Backend backend : {Backend::fluid, Backend::simgrid}) {
    const topologies::World world = support::star(2, datagrams(0.05));
    const auto numbers = support::numbers_in_child([&] {
      support::Setup setup(world, backend);
      Lost lost;
      for (int i = 0; i < 10; ++i) setup.network->start(sim::Flow{0, 1, {1e6}, 0, {}}, lost);
      setup.core.run();
      double asked = 0.0;
      for (const std::uint32_t number : lost.numbers)
        for (const auto& part : setup.routes.lost_parts(0, 1, number, 1e6)) asked += part.count;
      return std::vector<double>{lost.bytes, asked, lost.ended};
    });
    CHECK(numbers[0] == numbers[1]);
    CHECK(numbers[0] == Approx(1e7 * (1.0 - 0.95 * 0.95)).epsilon(0.15));
    CHECK(numbers[2] == 10.0);
  }
}

TEST_CASE("only schedules of one hop are direct", "[transports]") {
  const std::string legal = sim::direct_exchanges();
  CHECK(legal.find("all_to_all by pairwise") != std::string::npos);
  CHECK(legal.find("all_gather by direct") != std::string::npos);
  CHECK(legal.find("by ring") == std::string::npos);
  CHECK(legal.find("all_reduce") == std::string::npos);
}

TEST_CASE("a collective of several hops over an unreliable transport is refused, a direct one is planned",
          "[transports]") {
  const topologies::World world = support::star(4, datagrams(0.01));
  sim::CollectiveJob job;
  job.kind = models::CollectiveKind::all_reduce;
  job.algorithm = "ring";
  job.sizes = {{1e6}};
  CHECK_THROWS_WITH(sim::plan(job, world, sim::OnOutOfMemory::refuse),
                    Catch::Contains("all_reduce by ring passes on what it received") &&
                        Catch::Contains("loses 1 % of its packets for good (transport udp)"));
  job.kind = models::CollectiveKind::all_to_all;
  job.algorithm = "pairwise";
  CHECK_NOTHROW(sim::plan(job, world, sim::OnOutOfMemory::refuse));
}
