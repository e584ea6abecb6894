#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "scenarios/reader/scenario.hpp"
#include "sim/engine/trajectory.hpp"
#include "sim/program/program.hpp"

namespace {

struct Curves {
  sim::Trajectory adam, onebit;
};

Curves curves(std::uint64_t seed) {
  scenarios::Overrides overrides;
  overrides.seed = seed;
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

}  // namespace

TEST_CASE("quickstart, seed 1: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(1); }
TEST_CASE("quickstart, seed 2: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(2); }
TEST_CASE("quickstart, seed 3: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(3); }
TEST_CASE("quickstart, seed 4: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(4); }
TEST_CASE("quickstart, seed 5: compression costs 1-bit Adam no convergence", "[quickstart][slow]") { check_seed(5); }
