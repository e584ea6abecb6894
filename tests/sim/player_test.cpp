#include "sim/engine/player.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "tests/support/networks.hpp"

using models::CollectiveKind;
using sim::Expansion;
using support::Backend;
using support::Timed;

namespace {

constexpr double bandwidth = 1e9, latency = 2e-6;

struct Choice {
  CollectiveKind kind;
  const char* algorithm;
};
constexpr Choice choices[] = {{CollectiveKind::all_reduce, "ring"},
                              {CollectiveKind::all_reduce, "hierarchical_ring"},
                              {CollectiveKind::reduce_scatter, "ring"},
                              {CollectiveKind::all_gather, "ring"},
                              {CollectiveKind::all_gather, "direct"},
                              {CollectiveKind::reduce_scatter, "direct"},
                              {CollectiveKind::all_to_all, "pairwise"},
                              {CollectiveKind::all_to_all, "direct"},
                              {CollectiveKind::broadcast, "binomial_tree"},
                              {CollectiveKind::all_reduce, "multi_ring"},
                              {CollectiveKind::all_reduce, "tree"},
                              {CollectiveKind::all_reduce, "double_binary_tree"},
                              {CollectiveKind::all_reduce, "rabenseifner"},
                              {CollectiveKind::all_reduce, "parameter_server"},
                              {CollectiveKind::all_gather, "hierarchical_ring"},
                              {CollectiveKind::all_to_all, "bruck"},
                              {CollectiveKind::reduce, "scatter_all_gather"},
                              {CollectiveKind::gather, "linear"},
                              {CollectiveKind::scatter, "binomial_tree"},
                              {CollectiveKind::send_recv, "direct"}};

struct Outcome {
  double end = 0.0, collapsed = 0.0, foreign_end = 0.0, bytes = 0.0, busy_s = 0.0;
};

// One collective at time 0.25, and foreign flows if given.
Outcome outcome(const topologies::World& world, const Choice& choice, double bytes, Expansion expansion,
                const std::vector<Timed>& foreign = {}) {
  const std::vector<double> numbers = support::numbers_in_child([&] {
    support::Setup setup(world, Backend::fluid, expansion);
    const int group = setup.player.add_group(support::everyone(world));
    support::Plays plays(setup, group, {{0.25, support::call(choice.kind, choice.algorithm, bytes)}});
    support::Flows flows(setup, foreign);
    setup.core.run();
    double carried = 0.0, busy = 0.0;
    for (const sim::Network::Usage& usage : setup.player.usage()) {
      carried += usage.bytes;
      busy += usage.busy_s;
    }
    const bool collapsed = plays.played_[0].backend == "collapsed";
    return std::vector<double>{plays.played_[0].end.value - 0.25, collapsed ? 1.0 : 0.0,
                               foreign.empty() ? 0.0 : flows.ends.back(), carried, busy};
  });
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

std::vector<topologies::World> shapes(int n) {
  const auto link = support::cable(bandwidth, latency);
  auto half = link;
  half.duplex = topologies::Duplex::half;
  auto capped = support::cable(bandwidth, 20 * latency);
  capped.transport.flow_ceiling = models::BytesPerSecond{0.3 * bandwidth};
  capped.transport.start_up = models::Seconds{3 * latency};
  std::vector<topologies::World> all;
  all.push_back(support::star(n, link));
  all.push_back(support::star(n, half));
  if (n > 2) all.push_back(support::torus(n, 1, link));
  if (n % 2 == 0 && n > 2) all.push_back(support::torus(n, 2, link));
  all.push_back(support::full(n, link));
  for (int local = 2; local <= n; ++local)
    if (n % local == 0) {
      all.push_back(support::star_of_nodes(n / local, local, support::cable(8 * bandwidth, latency), link));
      all.push_back(support::star_of_nodes(n / local, local, link, capped));
    }
  return all;
}

bool plays_on(const Choice& choice, const topologies::World& world) {
  if (std::string(choice.algorithm) != "hierarchical_ring") return true;
  return world.node.size() > 1;
}

}  // namespace

TEST_CASE("a ring all-reduce on equal links takes 2(n-1) rounds of a latency and a slice", "[player]") {
  for (const int n : {2, 3, 7, 16})
    for (const double bytes : {8.0, 1e6, 1e9}) {
      const auto world = support::star(n, support::cable(bandwidth, latency));
      const double wanted = 2 * (n - 1) * (2 * latency + bytes / n / bandwidth);
      for (const Expansion expansion : {Expansion::expanded, Expansion::automatic, Expansion::collapsed})
        REQUIRE(outcome(world, choices[0], bytes, expansion).end == Approx(wanted).epsilon(1e-9).margin(0.0));
    }
}

TEST_CASE("collapsed equals expanded to 1e-9 wherever its rule lets it run", "[player]") {
  int collapsed = 0, played = 0;
  for (const int n : {2, 3, 4, 5, 6, 8, 12, 17})
    for (const topologies::World& world : shapes(n))
      for (const Choice& choice : choices) {
        if (!plays_on(choice, world)) continue;
        const Outcome expanded = outcome(world, choice, 3.7e6, Expansion::expanded);
        const Outcome automatic = outcome(world, choice, 3.7e6, Expansion::automatic);
        INFO(n << " hosts, " << world.fabric.links().size() << " links, " << choice.algorithm
               << ", collapsed: " << automatic.collapsed);
        REQUIRE(expanded.end > 0.0);
        REQUIRE(automatic.end == Approx(expanded.end).epsilon(1e-9).margin(0.0));
        REQUIRE(automatic.bytes == Approx(expanded.bytes).epsilon(1e-9).margin(0.0));
        ++played;
        collapsed += automatic.collapsed > 0.0 ? 1 : 0;
      }
  INFO(collapsed << " of " << played);
  REQUIRE(collapsed * 2 > played);
}

TEST_CASE("a foreign flow in mid-phase finds every transfer where it would stand", "[player][slow]") {
  for (const int n : {2, 3, 4, 6})
    for (const topologies::World& world : shapes(n))
      for (const Choice& choice : choices) {
        if (!plays_on(choice, world)) continue;
        const double alone = outcome(world, choice, 3.7e6, Expansion::expanded).end;
        for (const double share : {0.0, 0.37, 0.999}) {
          const std::vector<Timed> foreign{{0.25 + share * alone, {0, n - 1, {2e6}, 0, {}}}};
          const Outcome expanded = outcome(world, choice, 3.7e6, Expansion::expanded, foreign);
          const Outcome automatic = outcome(world, choice, 3.7e6, Expansion::automatic, foreign);
          INFO(n << " hosts, " << choice.algorithm << ", at " << share);
          REQUIRE(automatic.end == Approx(expanded.end).epsilon(1e-9).margin(0.0));
          REQUIRE(automatic.foreign_end == Approx(expanded.foreign_end).epsilon(1e-9).margin(0.0));
          REQUIRE(automatic.bytes == Approx(expanded.bytes).epsilon(1e-9).margin(0.0));
          REQUIRE(automatic.busy_s == Approx(expanded.busy_s).epsilon(1e-6).margin(0.0));
        }
      }
}

TEST_CASE("one variable for a whole group contends with a foreign flow", "[player]") {
  const auto world = support::star(6, support::cable(bandwidth, latency));
  const double alone = outcome(world, choices[0], 6e6, Expansion::collapsed).end;
  const Outcome shared = outcome(world, choices[0], 6e6, Expansion::collapsed, {{0.2, {0, 1, {1e9}, 0, {}}}});
  REQUIRE(shared.end > 1.9 * alone);
  REQUIRE(shared.end < 2.0 * alone);
  REQUIRE(shared.collapsed == 0.0);
  // The foreign flow is halved while rounds move bytes.
  REQUIRE(shared.foreign_end > 1.2 + 0.009);
}

TEST_CASE("two collectives at once share the network", "[player]") {
  const auto world = support::star(5, support::cable(bandwidth, latency));
  const auto run = [&](Expansion expansion) {
    return support::numbers_in_child([&] {
      support::Setup setup(world, Backend::fluid, expansion);
      const int group = setup.player.add_group(support::everyone(world));
      const auto call = support::call(CollectiveKind::all_reduce, "ring", 5e6);
      support::Plays plays(setup, group, {{0.0, call}, {0.003, call}});
      setup.core.run();
      return std::vector<double>{plays.played_[0].end.value, plays.played_[1].end.value};
    });
  };
  const std::vector<double> expanded = run(Expansion::expanded), automatic = run(Expansion::automatic);
  for (std::size_t i = 0; i < 2; ++i) REQUIRE(automatic[i] == Approx(expanded[i]).epsilon(1e-9).margin(0.0));
  REQUIRE(expanded[1] > 0.003 + 8 * 1e-3);
}

TEST_CASE("a group too large to expand is one variable, and said to be approximate where it is", "[player]") {
  const auto world =
      support::star_of_nodes(129, 4, support::cable(8 * bandwidth, latency), support::cable(bandwidth, latency));
  support::Setup setup(world, Backend::fluid, Expansion::automatic);
  const int group = setup.player.add_group(support::everyone(world));
  support::Plays plays(setup, group,
                       {{0.0, support::call(CollectiveKind::all_reduce, "ring", 516e6)},
                        {10.0, support::call(CollectiveKind::all_reduce, "hierarchical_ring", 516e6)},
                        {20.0, support::call(CollectiveKind::all_to_all, "pairwise", 516e6)}});
  setup.core.run();
  // The slowest of the disjoint transfers sets the pace: between nodes, four cables.
  REQUIRE(plays.played_[0].end.value == Approx(2 * 515 * (4 * latency + 1e-3)).epsilon(1e-9));
  REQUIRE(plays.played_[0].backend == "collapsed");
  // Inside: 3 rounds of a quarter at 8e9 B/s, twice. Across: 2 x 128 rounds of 1e6 B, four at a time over each node's
  // cable.
  REQUIRE(plays.played_[1].end.value - 10.0 ==
          Approx(6 * (2 * latency + 129e6 / 8e9) + 256 * (4 * latency + 4e-3)).epsilon(1e-9));
  REQUIRE(plays.played_[1].backend == "collapsed");
  REQUIRE(plays.played_[2].backend == "approximate");
  const auto report = setup.player.report();
  REQUIRE(report.size() == 3);
  REQUIRE(report[0].share == Approx(1.0 / 3.0));
}

TEST_CASE("an algorithm that is not known or does not fit is the user's mistake", "[player]") {
  const auto world = support::star(2, support::cable(bandwidth, latency));
  support::Setup setup(world, Backend::fluid, Expansion::automatic);
  const int group = setup.player.add_group(support::everyone(world));
  support::Plays none(setup, group, {});
  struct Ignored final : sim::PlayObserver {
    void played(std::uint64_t, const sim::Played&) override {}
  } ignored;
  REQUIRE_THROWS_AS(setup.player.play(group, support::call(CollectiveKind::broadcast, "no_such", 1.0), ignored, 0),
                    models::Error);
  REQUIRE_THROWS_AS(setup.player.play(group, support::call(CollectiveKind::broadcast, "ring", 1.0), ignored, 0),
                    models::Error);
}
