#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "sim/engine/simulate.hpp"
#include "tests/support/documents.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/training.hpp"

// Two simulations cannot share a process, so each runs in a child that prints its loss rows with all their bits.
namespace {

sim::TrainingJob learning_job() {
  support::DescentOptions options;
  options.steps = 30;
  sim::TrainingJob job = support::descent_job(options);
  job.accumulation = 2;
  support::learn(job, 5000, 0.3F);
  job.cost_model = [](const models::Kernel& kernel, const models::Device& device) {
    return kernel.flops / device.peak[0];
  };
  return job;
}

// 80 elements over 5 ranks: no padding, as chunks are whole bytes of signs.
sim::TrainingJob onebit_job() {
  sim::TrainingJob job = learning_job();
  support::learn(job, 80 * 25, 0.3F);
  job.algorithm.value = support::read_row(models::algorithms(), "onebit_adam",
                                          "freeze_step: 12, learning_rate: {peak: 0.01, schedule: cosine}");
  return job;
}

std::string loss_rows(const sim::TrainingJob& job, sim::Numbers numbers) {
  topologies::World world = support::star_world(5, models::BytesPerSecond{1e9}, models::Seconds{1e-5});
  world.devices.push_back(world.devices[0]);
  world.devices[1].peak[0] = models::FlopsPerSecond{0.8e12};
  world.device[3] = 1;
  sim::Options options;
  options.numbers = numbers;
  const sim::Result result = sim::simulate(sim::plan(job, world, sim::OnOutOfMemory::refuse), world, options);
  std::string text;
  for (const sim::Series& series : result.series) {
    if (series.name != "loss") continue;
    for (const auto& row : series.rows) {
      char line[128];
      std::snprintf(line, sizeof line, "%a %a %a\n", *row[0], *row[1], *row[2]);
      text += line;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("numbers joined with step times equal numbers computed inside the simulated time, bit for bit",
          "[simulate]") {
  for (const sim::TrainingJob& job : {learning_job(), onebit_job()}) {
    const std::string joined = support::in_child([&job] { return loss_rows(job, sim::Numbers::joined); });
    const std::string full = support::in_child([&job] { return loss_rows(job, sim::Numbers::full); });
    CHECK(std::count(joined.begin(), joined.end(), '\n') == 31);
    CHECK(joined == full);
  }
}
