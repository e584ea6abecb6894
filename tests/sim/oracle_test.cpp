// Every collective on every shape: our flows against SimGrid's, collapsed plays against our flows.

#include <catch2/catch.hpp>
#include <map>

#include "models/base/random.hpp"
#include "tests/support/sequences.hpp"
#include "tests/topologies/shapes.hpp"

using support::Backend;

namespace {

struct Shape {
  std::string name;
  topologies::World world;
};

// Samples of every builder with `least` to `most` hosts; no more than `each` of one shape.
std::vector<Shape> shapes_of(int least, int most, int each) {
  std::vector<Shape> all;
  std::map<std::string, int> count;
  for (const std::vector<shapes::Pair>& sample : shapes::samples()) {
    topologies::Blueprint made = shapes::built(sample);
    const int hosts = made.fabric.host_count();
    const std::string name = sample.front().value.text;
    if (hosts < least || hosts > most || ++count[name] > each) continue;
    Shape shape{name + " of " + std::to_string(hosts), {}};
    shape.world.fabric = std::move(made.fabric);
    shape.world.node = std::move(made.node);
    shape.world.device.assign(static_cast<std::size_t>(hosts), 0);
    shape.world.devices.emplace_back();
    all.push_back(std::move(shape));
  }
  return all;
}

std::vector<double> durations_on(const topologies::World& world, Backend backend) {
  return support::numbers_in_child([&] {
    const auto pairs = support::ring_of_pairs(world.fabric.host_count());
    support::Setup setup(world, backend);
    support::Sequence sequence(setup, world, support::every_collective(world.fabric.host_count(), pairs));
    setup.core.run();
    return sequence.durations;
  });
}

void compare_with_simgrid(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) {
    const auto pairs = support::ring_of_pairs(shape.world.fabric.host_count());
    const auto calls = support::every_collective(shape.world.fabric.host_count(), pairs);
    const std::vector<double> ours = durations_on(shape.world, Backend::fluid),
                              theirs = durations_on(shape.world, Backend::simgrid);
    REQUIRE(ours.size() == calls.size());
    REQUIRE(theirs.size() == calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      INFO(shape.name << ", " << calls[i].algorithm << " " << calls[i].name);
      CHECK(ours[i] > 0.0);
      // In n - 1 staggered rounds of small messages SimGrid's rounding of every end adds up (fat tree of 50: 4e-6).
      const bool many_rounds = calls[i].algorithm == std::string("pairwise") && shape.world.fabric.host_count() > 16;
      CHECK(theirs[i] == Approx(ours[i]).epsilon(many_rounds ? 1e-5 : 1e-6).margin(0.0));
    }
  }
}

void compare_collapsed(const std::vector<Shape>& shapes) {
  int collapsed = 0;
  for (const Shape& shape : shapes) {
    const topologies::World& world = shape.world;
    const auto pairs = support::ring_of_pairs(world.fabric.host_count());
    const auto calls = support::every_collective(world.fabric.host_count(), pairs);
    const auto run = [&](sim::Expansion expansion) {
      return support::numbers_in_child([&] {
        support::Setup setup(world, Backend::fluid, expansion);
        support::Sequence sequence(setup, world, calls);
        const double end_s = setup.core.run().time.value;
        std::vector<double> numbers{static_cast<double>(sequence.collapsed), end_s};
        numbers.insert(numbers.end(), sequence.durations.begin(), sequence.durations.end());
        support::append_traffic(setup, world, numbers);
        return numbers;
      });
    };
    const std::vector<double> flows = run(sim::Expansion::expanded), automatic = run(sim::Expansion::automatic);
    REQUIRE(flows.size() == automatic.size());
    CHECK(flows[0] == 0.0);
    collapsed += static_cast<int>(automatic[0]);
    const std::size_t traffic = 2 + calls.size();
    for (std::size_t i = 1; i < flows.size(); ++i) {
      INFO(shape.name << ", "
                      << (i < traffic ? i == 1 ? std::string("end")
                                               : calls[i - 2].algorithm + std::string(" ") + calls[i - 2].name
                                      : support::traffic_name(world, i - traffic)));
      CHECK(automatic[i] == Approx(flows[i]).epsilon(1e-9).margin(1e-12));
    }
  }
  CHECK(collapsed > 0);
}

}  // namespace

TEST_CASE("fluid and SimGrid's flows agree to 1e-6 on every collective and shape", "[oracle]") {
  compare_with_simgrid(shapes_of(2, 16, 2));
}

TEST_CASE("fluid and SimGrid's flows agree to 1e-6 on every collective and shape up to 64 ranks", "[oracle][slow]") {
  compare_with_simgrid(shapes_of(17, 64, 100));
}

TEST_CASE("collapsed plays take the time of their flows, and links and ranks see the same", "[oracle]") {
  compare_collapsed(shapes_of(2, 16, 3));
}

TEST_CASE("collapsed plays are as their flows on every shape up to 64 ranks", "[oracle][slow]") {
  compare_collapsed(shapes_of(1, 64, 100));
}

TEST_CASE("halving the bandwidth of a bandwidth-bound all-reduce doubles its time within 1 %", "[oracle]") {
  const auto seconds = [](double bytes_per_second) {
    const auto world = support::star(8, support::cable(bytes_per_second, 2e-6));
    return support::numbers_in_child([&] {
      support::Setup setup(world, Backend::fluid, sim::Expansion::automatic);
      support::Plays plays(setup, setup.player.add_group(support::everyone(world)),
                           {{0.0, support::call(models::CollectiveKind::all_reduce, "ring", 1e9)}});
      setup.core.run();
      return std::vector<double>{plays.played_[0].end.value};
    })[0];
  };
  CHECK(seconds(5e8) == Approx(2.0 * seconds(1e9)).epsilon(0.01));
}
