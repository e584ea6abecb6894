// The oracle: SimGrid's own flows and ours give the same ends on the same worlds.

#include <catch2/catch.hpp>
#include <vector>

#include "models/base/random.hpp"
#include "tests/support/networks.hpp"

using support::Backend;
using support::Timed;

namespace {

constexpr int worlds = 50;

struct Draw {
  models::Stream stream;
  int index(int below) { return static_cast<int>(stream.index(static_cast<std::uint64_t>(below))); }
  double between(double low, double high) { return low + (high - low) * stream.uniform(); }
};

topologies::World random_world(Draw& draw) {
  auto link = support::cable(draw.between(1e8, 1e10), draw.between(1e-6, 5e-5));
  auto other = support::cable(draw.between(1e8, 1e10), draw.between(1e-6, 5e-5));
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

std::vector<Timed> random_flows(Draw& draw, int hosts) {
  std::vector<Timed> flows;
  const int count = 1 + draw.index(40);
  for (int i = 0; i < count; ++i) {
    const int from = draw.index(hosts), to = (from + 1 + draw.index(hosts - 1)) % hosts;
    // SimGrid's payload is whole bytes.
    const double bytes = static_cast<double>(1000000 + draw.index(100000000));
    flows.push_back({draw.between(0.0, 0.05), {from, to, {bytes}, 0, {}}});
  }
  return flows;
}

}  // namespace

TEST_CASE("fluid and SimGrid's flows agree to 1e-6 on fifty random worlds", "[network]") {
  for (int w = 0; w < worlds; ++w) {
    Draw draw{models::Stream(7, models::Purpose::routing, static_cast<std::uint32_t>(w), 0)};
    const topologies::World world = random_world(draw);
    const std::vector<Timed> flows = random_flows(draw, world.fabric.host_count());
    const auto run = [&](Backend backend) {
      return support::numbers_in_child([&] {
        support::Setup setup(world, backend);
        support::Flows all(setup, flows);
        setup.core.run();
        return all.ends;
      });
    };
    const std::vector<double> ours = run(Backend::fluid), theirs = run(Backend::simgrid);
    INFO("world " << w << ", " << world.fabric.host_count() << " hosts, " << flows.size() << " flows");
    for (std::size_t i = 0; i < flows.size(); ++i) {
      INFO("flow " << i);
      REQUIRE(ours[i] > flows[i].start);
      REQUIRE(theirs[i] == Approx(ours[i]).epsilon(1e-6).margin(0.0));
    }
  }
}

TEST_CASE("a collective on SimGrid's flows takes the time it takes on ours", "[network]") {
  const auto world = support::star_of_nodes(3, 2, support::cable(1e10, 1e-6), support::cable(1e9, 2e-5));
  for (const char* algorithm : {"ring", "hierarchical_ring"}) {
    const auto run = [&](Backend backend) {
      return support::numbers_in_child([&] {
        support::Setup setup(world, backend);
        const int group = setup.player.add_group(support::everyone(world));
        support::Plays plays(setup, group,
                             {{0.0, support::call(models::CollectiveKind::all_reduce, algorithm, 3.6e8)}});
        setup.core.run();
        return std::vector<double>{plays.played_[0].end.value};
      });
    };
    REQUIRE(run(Backend::simgrid)[0] == Approx(run(Backend::fluid)[0]).epsilon(1e-6).margin(0.0));
  }
}
