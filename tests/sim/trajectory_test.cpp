#include <catch2/catch.hpp>
#include <cmath>

#include "models/base/pool.hpp"
#include "sim/numeric/trajectory.hpp"
#include "sim/engine/training_metrics.hpp"
#include "tests/support/training.hpp"

using support::descent_job;
using support::star_world;

namespace {

sim::TrainingProgram learning_program(int ranks, support::DescentOptions options, std::int64_t dimension, float noise) {
  sim::TrainingJob job = descent_job(options);
  support::learn(job, dimension, noise);
  return std::get<sim::TrainingProgram>(
      sim::plan(job, star_world(ranks, models::BytesPerSecond{1e9}), sim::OnOutOfMemory::refuse).role);
}

}  // namespace

// Without noise x_t = (1 - rate h)^t per coordinate, whatever the number of ranks; gap = sum h x^2 / sum h.
TEST_CASE("descent without noise follows its closed form", "[trajectory]") {
  support::DescentOptions options;
  options.steps = 20;
  const sim::TrainingProgram program = learning_program(3, options, 100, 0.0F);
  const sim::Trajectory trajectory = sim::compute_trajectory(program, 1, nullptr, {});
  REQUIRE(trajectory.rows.size() == 21);
  CHECK(trajectory.rows[0].relative_gap == 1.0);
  for (const sim::Trajectory::Row& row : trajectory.rows) {
    double gap = 0.0, start = 0.0;
    for (int i = 0; i < 100; ++i) {
      const double h = 0.1 + 0.9 * i / 100.0, x = std::pow(1.0 - 0.1 * h, static_cast<double>(row.step));
      gap += h * x * x;
      start += h;
    }
    CHECK(row.relative_gap == Approx(gap / start).epsilon(1e-5));
    CHECK(row.consensus_distance == 0.0);
  }
  CHECK(trajectory.diverged_at == -1);
}

TEST_CASE("a trajectory has the same bits for any number of threads", "[trajectory]") {
  support::DescentOptions options;
  options.steps = 6;
  const sim::TrainingProgram program = learning_program(5, options, 9001, 0.5F);
  models::set_pool_threads(1);
  const sim::Trajectory one = sim::compute_trajectory(program, 7, nullptr, {});
  models::set_pool_threads(4);
  const sim::Trajectory four = sim::compute_trajectory(program, 7, nullptr, {});
  REQUIRE(one.rows.size() == four.rows.size());
  for (std::size_t i = 0; i < one.rows.size(); ++i) CHECK(one.rows[i].relative_gap == four.rows[i].relative_gap);
}

TEST_CASE("a rate above two over the curvature diverges and stops all ranks at the same step", "[trajectory]") {
  support::DescentOptions options;
  options.steps = 200;
  options.rate = 3.0F;  // largest factor |1 - 3 x 0.991| = 1.97: squared, 1e6 after about 11 steps
  const sim::TrainingProgram program = learning_program(4, options, 100, 0.0F);
  const sim::Trajectory trajectory = sim::compute_trajectory(program, 1, nullptr, {});
  CHECK(trajectory.diverged_at == trajectory.steps_done);
  CHECK(trajectory.diverged_at > 5);
  CHECK(trajectory.diverged_at < 20);
  CHECK(trajectory.rows.back().relative_gap > 1e6);
  CHECK(trajectory.rows[trajectory.rows.size() - 2].relative_gap <= 1e6);
}

TEST_CASE("accumulated micro-batches are the samples of one gradient", "[trajectory]") {
  support::DescentOptions options;
  options.steps = 1;
  sim::TrainingProgram program = learning_program(1, options, 4, 1.0F);
  program.accumulation = 3;
  const sim::Trajectory trajectory = sim::compute_trajectory(program, 1, nullptr, {});
  const support::NoisyQuadratic objective(4, 1, 1.0F);
  std::vector<float> x(4, 1.0F), gradient(4);
  objective.gradient(x, {0, 0, 0, 3 * program.job.micro_batch}, gradient);
  const double start = objective.loss(x);
  for (std::size_t i = 0; i < 4; ++i) x[i] -= 0.1F * gradient[i];
  CHECK(trajectory.rows.back().relative_gap == Approx(objective.loss(x) / start).epsilon(1e-6));
}

TEST_CASE("an interruption ends a trajectory after the step", "[trajectory]") {
  support::DescentOptions options;
  options.steps = 50;
  const sim::TrainingProgram program = learning_program(2, options, 10, 0.0F);
  std::atomic<bool> interrupted = false;
  const sim::Trajectory trajectory = sim::compute_trajectory(
      program, 1, &interrupted, [&](std::int64_t step, std::int64_t) { interrupted = step == 7; });
  CHECK(trajectory.interrupted);
  CHECK(trajectory.steps_done == 8);
}

TEST_CASE("a target counts from the first step after which the gap stays below it for long enough", "[trajectory]") {
  sim::Trajectory numbers;
  for (std::int64_t step = 0; step <= 100; ++step)
    numbers.rows.push_back({step, step >= 40 && step != 45 ? 0.01 : 1.0, 0.0});
  // 2 % of 100 steps is 2, 10 evaluations are 10 steps: the dip at 45 restarts the count.
  CHECK(sim::steps_to_target(numbers, 0.1, 100, 1) == 46);
  CHECK(sim::steps_to_target(numbers, 0.001, 100, 1) == std::nullopt);
  // 2 % of 2,800 steps is 56, longer than what is left after step 46.
  CHECK(sim::steps_to_target(numbers, 0.1, 2800, 1) == std::nullopt);
}
