#include <catch2/catch.hpp>

#include "models/base/defaults.hpp"
#include "models/base/error.hpp"
#include "sim/program/group_links.hpp"
#include "tests/support/networks.hpp"

using models::CollectiveKind;
using support::Backend;

namespace {

constexpr double bandwidth = 1e11, latency = 5e-7;

topologies::LinkProperties library_link() {
  topologies::LinkProperties link = support::cable(bandwidth, latency);
  link.protocols.all = {{"quick", {5e-6}, {}, 4.0, false}, {"wide", {2e-5}, {2e-6}, 1.0, false}};
  link.protocols.pairwise = {"quick", "wide", {16384.0}, {524288.0}, 0.4};
  link.protocols.copy = models::BytesPerSecond{5e11};
  link.protocols.link = link.bandwidth;
  return link;
}

// The closed form that the link presets are fitted with.
double predicted(const topologies::World& world, const models::CollectiveCall& call) {
  const models::Group group = support::everyone(world);
  const models::Bytes size = call.element_size * static_cast<double>(call.elements);
  const models::RoundsTime rounds = [&](std::string_view algorithm, const models::Pace& pace) {
    const std::int64_t elements = std::int64_t{group.size()} * group.size();
    const auto made = models::made_by_default(*models::collectives().find(algorithm));
    return models::SwitchedRounds(made.schedule(group, {call.kind, elements, 0}), group.size(), elements)
        .time(size, {2 * latency}, {bandwidth}, pace);
  };
  const models::Choice choice = models::choose(sim::protocols_between(group, world.fabric), call.kind, group, size,
                                               {call.algorithm, "auto", 0, call.element_size}, rounds);
  return (choice.pace.start_up + rounds(choice.algorithm, choice.pace)).value;
}

std::vector<double> simulated(const topologies::World& world, Backend backend, sim::Expansion expansion,
                              const models::CollectiveCall& call, std::string_view protocol = "auto",
                              int channels = 0) {
  return support::numbers_in_child([&] {
    support::Setup setup(world, backend, expansion);
    setup.player.set_library(protocol, channels);
    support::Plays plays(setup, setup.player.add_group(support::everyone(world)), {{0.25, call}});
    setup.core.run();
    double carried = 0.0;
    for (const sim::Network::Usage& usage : setup.player.usage()) carried += usage.bytes;
    return std::vector<double>{plays.played_[0].end.value - plays.played_[0].begin.value, carried,
                               plays.played_[0].protocol == "wide" ? 1.0 : 0.0};
  });
}

}  // namespace

TEST_CASE("a simulated collective takes what its protocol's closed form says, on every backend", "[protocol]") {
  int wide = 0, played = 0;
  for (const int n : {2, 3, 8}) {
    const topologies::World world = support::star(n, library_link());
    for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                      CollectiveKind::reduce_scatter, CollectiveKind::all_to_all})
      for (const double bytes : {1e3, 3.7e5, 2e8}) {
        const models::CollectiveCall call = support::call(kind, "auto", bytes);
        const double wanted = predicted(world, call);
        INFO(n << " members, " << models::collective_kind_names[static_cast<std::size_t>(kind)] << ", " << bytes);
        const auto collapsed = simulated(world, Backend::fluid, sim::Expansion::automatic, call);
        CHECK(collapsed[0] == Approx(wanted).epsilon(1e-9).margin(0.0));
        CHECK(simulated(world, Backend::fluid, sim::Expansion::expanded, call)[0] ==
              Approx(wanted).epsilon(1e-9).margin(0.0));
        CHECK(simulated(world, Backend::simgrid, sim::Expansion::expanded, call)[0] ==
              Approx(wanted).epsilon(1e-6).margin(1e-10));  // SimGrid's own precision
        wide += collapsed[2] > 0.0 ? 1 : 0;
        ++played;
      }
  }
  CHECK(wide > 0);
  CHECK(wide < played);
}

TEST_CASE("a wished protocol and few channels are simulated as wished", "[protocol]") {
  topologies::LinkProperties link = library_link();
  link.protocols.channel = models::BytesPerSecond{1e10};
  const topologies::World world = support::star(4, link);
  const models::CollectiveCall call = support::call(CollectiveKind::all_reduce, "ring", 1e9);
  CHECK(simulated(world, Backend::fluid, sim::Expansion::automatic, call, "wide")[0] ==
        Approx(2e-5 + 2.5e8 / 5e11 + 6 * (3e-6 + 2.5e8 / 1e11)).epsilon(1e-9));
  // 20 of 100 GB/s
  CHECK(simulated(world, Backend::fluid, sim::Expansion::automatic, call, "wide", 2)[0] ==
        Approx(2e-5 + 2.5e8 / 5e11 + 6 * (3e-6 + 5 * 2.5e8 / 1e11)).epsilon(1e-9));
}

TEST_CASE("a collective whose start-up is over goes on as traffic when a foreign flow comes", "[protocol]") {
  const topologies::World world = support::star(4, library_link());
  const models::CollectiveCall call = support::call(CollectiveKind::all_reduce, "ring", 4e7);
  const auto with_foreign = [&](sim::Expansion expansion, double at) {
    return support::numbers_in_child([&] {
      support::Setup setup(world, Backend::fluid, expansion);
      setup.player.set_library("wide", 0);
      support::Plays plays(setup, setup.player.add_group(support::everyone(world)), {{0.25, call}});
      support::Flows flows(setup, {{0.25 + at, {0, 3, {5e6}, 0, {}}}});
      setup.core.run();
      return std::vector<double>{plays.played_[0].end.value, flows.ends[0]};
    });
  };
  const double alone = simulated(world, Backend::fluid, sim::Expansion::expanded, call, "wide")[0];
  for (const double at : {1e-5, 0.4 * alone, 0.9 * alone}) {  // 1e-5: before the first transfer
    const auto automatic = with_foreign(sim::Expansion::automatic, at),
               expanded = with_foreign(sim::Expansion::expanded, at);
    CHECK(automatic[0] == Approx(expanded[0]).epsilon(1e-9).margin(0.0));
    CHECK(automatic[1] == Approx(expanded[1]).epsilon(1e-9).margin(0.0));
    CHECK(automatic[0] - 0.25 > alone);
  }
}

TEST_CASE("protocols hold between members that one kind of link joins, not across others", "[protocol]") {
  const topologies::World nodes = support::star_of_nodes(2, 4, library_link(), support::cable(1e10, 1e-6));
  CHECK(sim::protocols_between(support::everyone(nodes), nodes.fabric).all.empty());
  models::Group island;
  for (int i = 0; i < 4; ++i) island.ranks.push_back(models::Rank{i}), island.node.push_back(0);
  CHECK(sim::protocols_between(island, nodes.fabric).all.size() == 2);
  island.ranks.resize(1), island.node.resize(1);
  CHECK(sim::protocols_between(island, nodes.fabric).all.empty());
  const topologies::World plain = support::star(4, support::cable(1e10, 1e-6));
  CHECK(sim::protocols_between(support::everyone(plain), plain.fabric).all.empty());
  CHECK_THROWS_AS(sim::check_protocol("ll", support::everyone(plain), plain.fabric, {"job.yaml", 3, 4, ""}),
                  models::Error);
  CHECK_NOTHROW(sim::check_protocol("auto", support::everyone(plain), plain.fabric, {}));
}
