#include <catch2/catch.hpp>

#include "models/base/error.hpp"
#include "sim/numeric/host_memory.hpp"
#include "tests/support/training.hpp"

using models::Bytes;

namespace {

// 4 layers of 1e6 parameters, of which 1e5 numbers are real. Descent declares 8 B per parameter and a buffer of 3 MB.
sim::TrainingProgram learning_program(int ranks) {
  sim::TrainingJob job = support::descent_job();
  support::learn(job, 100'000);
  job.learning->dimension_place = {"job.yaml", 9, 30, ""};
  const topologies::World world = support::star_world(ranks, models::BytesPerSecond{1e9});
  return std::get<sim::TrainingProgram>(sim::plan(job, world, sim::OnOutOfMemory::refuse).role);
}

}  // namespace

TEST_CASE("numbers take weights, gradients and what the algorithm and the objective hold, for every rank",
          "[numeric]") {
  sim::TrainingProgram program = learning_program(8);
  const double algorithm = 8.0 * 1e5 + 3e6 * (1e5 / 4e6);
  CHECK(sim::numeric_memory(program).value == Approx(8 * (8.0 * 1e5 + algorithm)).epsilon(1e-12));
  program.job.learning->objective.memory = [](int workers) { return Bytes{1000.0 * workers}; };
  CHECK(sim::numeric_memory(program).value == Approx(8 * (8.0 * 1e5 + algorithm + 1000)).epsilon(1e-12));
  program.job.learning.reset();
  CHECK(sim::numeric_memory(program).value == 0.0);
}

TEST_CASE("numbers that this machine cannot hold are an error with the largest dimension that fits", "[numeric]") {
  const sim::TrainingProgram program = learning_program(8);  // 13.4 MB
  CHECK_NOTHROW(sim::check_numeric_memory(program, Bytes{13.5e6}, 1));
  try {
    sim::check_numeric_memory(program, Bytes{13.4e6}, 2);
    FAIL("two processes do not fit");
  } catch (const models::Error& error) {
    CHECK(std::string(error.what()) ==
          "job.yaml:9:30: error: the numbers of 8 ranks take 13.4 MB in each of 2 processes at once, this machine has "
          "13.4 MB left\n  hint: the largest dimension that fits is 50000; or take fewer ranks, or fewer --jobs");
  }
}
