#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/reader/scenario.hpp"
#include "sim/numeric/trajectory.hpp"
#include "sim/program/program.hpp"
#include "tests/support/every_target.hpp"

namespace {

struct Curves {
  sim::Trajectory adam, onebit;
};

Curves curves(std::uint64_t seed, const std::vector<std::string>& set = {}) {
  scenarios::Overrides overrides;
  overrides.seed = seed;
  overrides.set = set;
  overrides.at = {"cluster.topology.inter_node.bandwidth=1 Gb/s"};
  Curves found;
  for (const scenarios::Point& point : scenarios::read(SOURCE_DIR "/scenarios/quickstart.yaml", overrides).points) {
    const topologies::World world = topologies::build(point.cluster);
    const sim::Program program = sim::plan(point.job, world, sim::OnOutOfMemory::refuse);
    sim::Trajectory trajectory =
        sim::compute_trajectory(std::get<sim::TrainingProgram>(program.role), point.seed, nullptr, {});
    (point.variant == "adam" ? found.adam : found.onebit) = std::move(trajectory);
  }
  return found;
}

// The claim of the paper on the quickstart's problem: compression after the freeze costs no convergence.
void check_seed(std::uint64_t seed) {
  const Curves found = curves(seed);
  const auto& adam = found.adam.rows;
  const auto& onebit = found.onebit.rows;
  REQUIRE(adam.size() == onebit.size());
  CHECK(onebit.back().relative_gap <= 2.0 * adam.back().relative_gap);
  const auto freeze = static_cast<std::int64_t>(found.onebit.notes.at("freeze_step"));
  const auto at_freeze =
      std::find_if(onebit.begin(), onebit.end(), [&](const sim::Trajectory::Row& row) { return row.step == freeze; });
  REQUIRE(at_freeze != onebit.end());
  for (auto row = at_freeze; row != onebit.end(); ++row) {
    INFO("step " << row->step);
    CHECK(row->relative_gap <= 2.0 * at_freeze->relative_gap);
  }
}

bool same_bits(const sim::Trajectory& a, const sim::Trajectory& b) {
  return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [](const auto& x, const auto& y) {
    return x.step == y.step && x.relative_gap == y.relative_gap && x.consensus_distance == y.consensus_distance;
  });
}

}  // namespace

TEST_CASE("the quickstart's curves have the same bits on every vector target", "[quickstart]") {
  const std::vector<std::string> shorter{"training.steps=320", "training.learning.dimension=8192",
                                         "cluster.topology.nodes=2"};
  const Curves expected = curves(1, shorter);
  REQUIRE(expected.onebit.rows.size() == 321);  // 20 steps after the freeze
  support::on_every_target([&](const char* target) {
    INFO(target);
    const Curves found = curves(1, shorter);
    CHECK(same_bits(found.adam, expected.adam));
    CHECK(same_bits(found.onebit, expected.onebit));
  });
}

TEST_CASE("quickstart, seed 1: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(1); }
TEST_CASE("quickstart, seed 2: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(2); }
TEST_CASE("quickstart, seed 3: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(3); }
TEST_CASE("quickstart, seed 4: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(4); }
TEST_CASE("quickstart, seed 5: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(5); }
