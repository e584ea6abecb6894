// What links and ranks see: collapsed plays taken apart, random worlds, conservation of bytes.

#include "sim/engine/traffic.hpp"

#include <catch2/catch.hpp>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "tests/support/sequences.hpp"

using support::Backend;

namespace {

struct Draw {
  models::Stream stream;
  int index(int below) { return static_cast<int>(stream.index(static_cast<std::uint64_t>(below))); }
  double between(double low, double high) { return low + (high - low) * stream.uniform(); }
};

topologies::World random_world(Draw& draw) {
  auto link = support::cable(draw.between(1e8, 1e10), draw.between(1e-6, 5e-5));
  const auto other = support::cable(draw.between(1e8, 1e10), draw.between(1e-6, 5e-5));
  if (draw.index(3) == 0) link.transport.flow_ceiling = models::BytesPerSecond{draw.between(5e7, 1e9)};
  switch (draw.index(5)) {
    case 0:
      return support::star(2 + draw.index(14), link);
    case 1:
      return support::torus(3 + draw.index(10), 1, link);
    case 2:
      return support::torus(12, 4, link);
    case 3:
      return support::star_of_nodes(2 + draw.index(3), 1 + draw.index(4), link, other);
    default:
      return support::full(2 + draw.index(6), link);
  }
}

// Plays that overlap, among flows of others: each world's first play may be alone for a while.
struct Load {
  std::vector<std::pair<double, models::CollectiveCall>> plays;
  std::vector<support::Timed> flows;
};
Load random_load(Draw& draw, int hosts, const std::vector<models::CollectiveCall>& calls) {
  Load load;
  const int plays = 1 + draw.index(3), flows = draw.index(7);
  for (int i = 0; i < plays; ++i) {
    models::CollectiveCall call = calls[static_cast<std::size_t>(draw.index(static_cast<int>(calls.size())))];
    if (call.pairs.empty()) call.element_size = models::Bytes{draw.between(1e5, 1e8)};
    load.plays.emplace_back(i == 0 ? 0.0 : draw.between(0.0, 0.05), call);
  }
  for (int i = 0; i < flows; ++i) {
    const int from = draw.index(hosts), to = (from + 1 + draw.index(hosts - 1)) % hosts;
    load.flows.push_back({draw.between(0.0, 0.05), {from, to, {draw.between(1e4, 1e8)}, 0, {}}});
  }
  return load;
}

// Ends of plays and flows, then traffic.
std::vector<double> run(const topologies::World& world, const Load& load, sim::Expansion expansion) {
  return support::numbers_in_child([&] {
    support::Setup setup(world, Backend::fluid, expansion);
    support::Plays plays(setup, setup.player.add_group(support::everyone(world)), load.plays);
    support::Flows flows(setup, load.flows);
    setup.core.run();
    std::vector<double> numbers;
    for (const sim::Played& played : plays.played_) numbers.push_back((played.end - played.begin).value);
    for (std::size_t i = 0; i < load.flows.size(); ++i) numbers.push_back(flows.ends[i] - load.flows[i].start);
    support::append_traffic(setup, world, numbers);
    return numbers;
  });
}

}  // namespace

TEST_CASE("auto differs from fluid by less than 2 % on two hundred random worlds with contention", "[traffic]") {
  double worst = 0.0;
  for (int w = 0; w < 200; ++w) {
    Draw draw{models::Stream(11, models::Purpose::routing, static_cast<std::uint32_t>(w), 0)};
    const topologies::World world = random_world(draw);
    const int hosts = world.fabric.host_count();
    const auto pairs = support::ring_of_pairs(hosts);
    const Load load = random_load(draw, hosts, support::every_collective(hosts, pairs));
    const std::vector<double> flows = run(world, load, sim::Expansion::expanded),
                              automatic = run(world, load, sim::Expansion::automatic);
    REQUIRE(flows.size() == automatic.size());
    const std::size_t timed = load.plays.size() + load.flows.size();
    for (std::size_t i = 0; i < flows.size(); ++i) {
      INFO("world " << w << ", " << hosts << " hosts, "
                    << (i < load.plays.size() ? load.plays[i].second.algorithm + std::string(" ") +
                                                    load.plays[i].second.name
                        : i < timed           ? "flow " + std::to_string(i - load.plays.size())
                                              : support::traffic_name(world, i - timed)));
      if (i < timed) {
        CHECK(automatic[i] == Approx(flows[i]).epsilon(0.02).margin(0.0));
        worst = std::max(worst, std::abs(automatic[i] / flows[i] - 1.0));
      } else {
        CHECK(automatic[i] == Approx(flows[i]).epsilon(0.02).margin(1e-9));
      }
    }
  }
  // A play is taken apart where it stands: what is left is rounding.
  CHECK(worst < 1e-6);
}

TEST_CASE("a play taken apart in mid-flight leaves every link as busy as its flows do", "[traffic]") {
  // Two classes of transfers in one round (inside the node and between nodes), which share no link, and a ring over
  // shared switches in lockstep.
  for (const bool nodes : {false, true}) {
    const auto fast = support::cable(8e9, 1e-6), slow = support::cable(1e9, 2e-5);
    const topologies::World world = nodes ? support::star_of_nodes(3, 2, fast, slow) : support::star(6, slow);
    const auto pairs = support::ring_of_pairs(6);
    for (const models::CollectiveCall& call : support::every_collective(6, pairs)) {
      const double alone = run(world, {{{0.0, call}}, {}}, sim::Expansion::expanded)[0];
      for (const double share : {0.001, 0.3, 0.5, 0.77, 0.999}) {
        const Load load{{{0.0, call}}, {{share * alone, {0, 5, {1e6}, 0, {}}}}};
        const std::vector<double> flows = run(world, load, sim::Expansion::expanded),
                                  automatic = run(world, load, sim::Expansion::automatic);
        REQUIRE(flows.size() == automatic.size());
        for (std::size_t i = 0; i < flows.size(); ++i) {
          INFO(call.algorithm << " " << call.name << " at " << share << ", "
                              << (i < 2 ? std::string("end") : support::traffic_name(world, i - 2)));
          CHECK(automatic[i] == Approx(flows[i]).epsilon(1e-9).margin(1e-12));
        }
      }
    }
  }
}

TEST_CASE("bytes that vanish on the way or come from nowhere are a bug", "[traffic]") {
  const topologies::World world = support::star(2, support::cable(1e9, 1e-6));
  const auto way = world.fabric.route(0, 1).links;
  std::vector<sim::Network::Usage> usage(world.fabric.links().size());
  for (const topologies::LinkId link : way) usage[static_cast<std::size_t>(link)].bytes = 1000.0;
  sim::Ledger ledger(2);
  ledger.ended(0, 1, 1000.0, 30.0, 10.0);
  CHECK(ledger.hosts()[0].lost_B == 40.0);
  CHECK(ledger.hosts()[1].received_B == 970.0);
  CHECK_NOTHROW(sim::check_conservation(world.fabric, world.node, usage, ledger));
  SECTION("a switch swallows some") { usage[static_cast<std::size_t>(way[1])].bytes = 999.0; }
  SECTION("a link carries what nobody sent") {
    for (const topologies::LinkId link : way) usage[static_cast<std::size_t>(link)].bytes = 1001.0;
  }
  CHECK_THROWS_AS(sim::check_conservation(world.fabric, world.node, usage, ledger), models::Bug);
}

TEST_CASE("three flows over one link: bytes, busy time, full time and peak", "[traffic]") {
  // 0 -> 2 and 1 -> 2 of 1 MB at 1 GB/s meet on the way down to 2 for 2 ms; 0 -> 1 follows alone at 3 ms.
  const topologies::World world = support::star(3, support::cable(1e9, 0.0));
  const std::vector<double> numbers =
      run(world, {{}, {{0.0, {0, 2, {1e6}, 0, {}}}, {0.0, {1, 2, {1e6}, 0, {}}}, {3e-3, {0, 1, {1e6}, 0, {}}}}},
          sim::Expansion::expanded);
  const auto of = [&](topologies::LinkId link, std::size_t number) {
    return numbers[3 + 1 + static_cast<std::size_t>(link) * support::numbers_per_link + number];
  };
  const auto shared = world.fabric.route(0, 2).links, later = world.fabric.route(0, 1).links;
  CHECK(of(shared[1], 0) == Approx(2e6));
  CHECK(of(shared[1], 1) == Approx(2e-3));
  CHECK(of(shared[1], 2) == Approx(2e-3));
  CHECK(of(shared[1], 3) == 2.0);
  CHECK(of(shared[0], 0) == Approx(2e6));
  CHECK(of(shared[0], 1) == Approx(3e-3));
  CHECK(of(shared[0], 2) == Approx(1e-3));  // full only while 0 -> 1 has it to itself
  CHECK(of(shared[0], 3) == 1.0);
  CHECK(of(later[1], 2) == Approx(1e-3));
}
