#include <atomic>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sim/engine/collective_run.hpp"
#include "sim/engine/recorder.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/support/training.hpp"

using support::descent_job;
using support::star_world;

namespace {

sim::Result result_of(const sim::Job& job, const topologies::World& world, sim::Options options = {}) {
  return sim::simulate(sim::plan(job, world, sim::OnOutOfMemory::refuse), world, options);
}

double metric(const sim::Result& result, const std::string& name) {
  const sim::Metric* found = result.metric(name);
  INFO(name);
  REQUIRE(found != nullptr);
  REQUIRE(found->value.has_value());
  return *found->value;
}

const sim::Series& series(const sim::Result& result, const std::string& name) {
  for (const sim::Series& one : result.series)
    if (one.name == name) return one;
  throw std::runtime_error("no series " + name);
}

double parts_of(const sim::Result& result) {
  double sum = 0.0;
  for (const char* part : {"forward_s", "backward_s", "exposed_communication_s", "codec_s", "optimizer_s", "other_s"})
    sum += metric(result, part);
  return sum;
}

}  // namespace

// 4 layers: forward 4 ms, backward 4 x 2 ms, update 0.5 ms. A bucket of 4 MB over a ring of 4 at 1 GB/s: 6 rounds of 1
// MB, 6 ms. Not overlapped: 4 + 8 + 4 x 6 + 0.5. Overlapped: the first bucket is ready at 6 ms, then four reductions in
// a row: 6 + 24 + 0.5.
TEST_CASE("a step without overlap is the sum of its parts in closed form", "[simulate]") {
  sim::TrainingJob job = descent_job();
  job.overlap = false;
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}));
  CHECK(result.status == sim::Status::completed);
  CHECK(metric(result, "step_time_s") == Approx(0.0365).epsilon(1e-9));
  CHECK(metric(result, "forward_s") == Approx(0.004).epsilon(1e-9));
  CHECK(metric(result, "backward_s") == Approx(0.008).epsilon(1e-9));
  CHECK(metric(result, "communication_s") == Approx(0.024).epsilon(1e-9));
  CHECK(metric(result, "exposed_communication_s") == Approx(0.024).epsilon(1e-9));
  CHECK(metric(result, "optimizer_s") == Approx(0.0005).epsilon(1e-9));
  CHECK(metric(result, "wire_B_per_step_per_rank") == Approx(4 * 6e6).epsilon(1e-9));
  CHECK(metric(result, "throughput_samples_per_s") == Approx(4 / 0.0365).epsilon(1e-9));
  CHECK(metric(result, "model_flops_utilization") == Approx(12e9 / 0.0365 / 1e12).epsilon(1e-9));
}

TEST_CASE("reductions of ready buckets run beside the rest of the backward pass", "[simulate]") {
  const sim::Result result = result_of(descent_job(), star_world(4, models::BytesPerSecond{1e9}));
  CHECK(metric(result, "step_time_s") == Approx(0.0305).epsilon(1e-9));
  CHECK(metric(result, "communication_s") == Approx(0.024).epsilon(1e-9));
  CHECK(metric(result, "exposed_communication_s") == Approx(0.018).epsilon(1e-9));
  CHECK(parts_of(result) == Approx(metric(result, "step_time_s")).epsilon(1e-12));
}

TEST_CASE("the parts add up to the step on unequal devices too", "[simulate]") {
  sim::TrainingJob job = descent_job();
  job.cost_model = [](const models::Kernel& kernel, const models::Device& device) {
    return kernel.flops / device.peak[0];
  };
  topologies::World world = star_world(4, models::BytesPerSecond{1e9});
  world.devices.push_back(world.devices[0]);
  world.devices[1].peak[0] = models::FlopsPerSecond{0.37e12};
  world.devices[0].step_overhead = models::Seconds{0.001};
  world.device[2] = 1;
  const sim::Result result = result_of(job, world);
  CHECK(parts_of(result) == Approx(metric(result, "step_time_s")).epsilon(1e-12));
  CHECK(metric(result, "other_s") == Approx(0.00075).epsilon(1e-9));
  // The slow rank sets the pace: its first bucket is ready after (4 + 2) / 0.37 ms, then four reductions, then its
  // update.
  CHECK(metric(result, "step_time_s") == Approx(0.0065 / 0.37 + 0.024).epsilon(1e-9));
}

TEST_CASE("gradient accumulation computes every micro-batch and reduces once", "[simulate]") {
  sim::TrainingJob job = descent_job();
  job.overlap = false;
  job.accumulation = 3;
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}));
  CHECK(metric(result, "forward_s") == Approx(0.012).epsilon(1e-9));
  CHECK(metric(result, "backward_s") == Approx(0.024).epsilon(1e-9));
  CHECK(metric(result, "step_time_s") == Approx(0.0605).epsilon(1e-9));
}

TEST_CASE("a slow-down by overlap stretches compute beside communication", "[simulate]") {
  topologies::World world = star_world(4, models::BytesPerSecond{1e9});
  world.devices[0].overlap_slowdown = 1.5;
  const sim::Result result = result_of(descent_job(), world);
  // The first bucket of backward is alone, three run beside reductions: 2 + 3 x 3 ms.
  CHECK(metric(result, "backward_s") == Approx(0.011).epsilon(1e-9));
}

TEST_CASE("equal steps are simulated once, phase by phase, and the result says so", "[simulate]") {
  support::DescentOptions options;
  options.steps = 1000;
  options.switch_at = 400;
  sim::TrainingJob job = descent_job(options);
  job.total_steps = 10000;
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}));
  CHECK(series(result, "steps").rows.size() < 20);
  const sim::Series& phases = series(result, "phases");
  REQUIRE(phases.rows.size() == 2);
  CHECK(phases.texts.at({0, 0}) == "long messages");
  CHECK(phases.rows[0][2] == 400.0);
  CHECK(phases.rows[1][1] == 400.0);
  CHECK(phases.rows[1][2] == 600.0);
  CHECK(*phases.rows[0][3] == Approx(0.0305).epsilon(1e-9));
  // Reductions of 0.6 ms hide behind the buckets of 2 ms, all but the last: 12 + 0.6 + 0.5.
  CHECK(*phases.rows[1][3] == Approx(0.0131).epsilon(1e-9));
  CHECK(metric(result, "step_time_s") == Approx((399 * 0.0305 + 600 * 0.0131) / 999).epsilon(1e-9));
  CHECK(metric(result, "projected_total_time_s") == Approx(10000 * (0.4 * 0.0305 + 0.6 * 0.0131)).epsilon(1e-9));
  CHECK(std::any_of(result.warnings.begin(), result.warnings.end(), [](const std::string& warning) {
    return warning.find("were not simulated again") != std::string::npos;
  }));
  CHECK(result.bytes.sent_B == Approx(4 * (400 * 24e6 + 600 * 2.4e6)).epsilon(1e-9));
}

TEST_CASE("recorded memory equals planned memory", "[simulate]") {
  sim::TrainingJob job = descent_job();
  job.accumulation = 2;
  const topologies::World world = star_world(4, models::BytesPerSecond{1e9});
  const sim::Program program = sim::plan(job, world, sim::OnOutOfMemory::refuse);
  const sim::Result result = sim::simulate(program, world, {});
  const auto& planned = std::get<sim::TrainingProgram>(program.role);
  CHECK(metric(result, "peak_memory_B") == planned.peak_memory_B);
  REQUIRE(result.memory.size() == planned.memory.size());
  for (std::size_t i = 0; i < planned.memory.size(); ++i) {
    CHECK(result.memory[i].category == planned.memory[i].category);
    CHECK(result.memory[i].peak_B == planned.memory[i].peak_B);
  }
}

TEST_CASE("the naive model is the larger of compute and bytes over the nominal link", "[simulate]") {
  sim::TrainingJob job = descent_job();
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}));
  REQUIRE(result.naive.size() >= 2);
  CHECK(result.naive[0].name == "step_time_s");
  CHECK(*result.naive[0].value == Approx(0.024).epsilon(1e-9));
}

TEST_CASE("one rank trains without communication", "[simulate]") {
  const sim::Result result = result_of(descent_job(), star_world(1, models::BytesPerSecond{1e9}));
  CHECK(result.status == sim::Status::completed);
  CHECK(metric(result, "step_time_s") == Approx(0.0125).epsilon(1e-9));
  CHECK(metric(result, "wire_B_per_step_per_rank") == 0.0);
}

TEST_CASE("divergence ends a joined run at its step", "[simulate]") {
  support::DescentOptions options;
  options.steps = 200;
  options.rate = 3.0F;
  sim::TrainingJob job = descent_job(options);
  support::learn(job, 100, 0.0F);
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}));
  CHECK(result.status == sim::Status::diverged);
  const sim::Series& loss = series(result, "loss");
  CHECK(*result.status_time_s == *loss.rows.back()[1]);
  CHECK(loss.rows.size() < 25);
  CHECK(series(result, "steps").rows.size() + 1 == loss.rows.size());
}

TEST_CASE("a limit on simulated time ends a run early with what it has measured", "[simulate]") {
  support::DescentOptions options;
  options.steps = 100;
  sim::TrainingJob job = descent_job(options);
  support::learn(job, 100);
  sim::Options limited;
  limited.limits.simulated = models::Seconds{0.1};
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}), limited);
  CHECK(result.status == sim::Status::time_limit);
  CHECK(result.status_time_s == 0.1);
  CHECK(series(result, "steps").rows.size() == 3);
  CHECK(metric(result, "step_time_s") == Approx(0.0305).epsilon(1e-9));
  CHECK(series(result, "loss").rows.size() == 4);
}

TEST_CASE("ranks that wait for one that never comes are a deadlock, with what was measured before", "[simulate]") {
  sim::TrainingJob job = descent_job();
  job.algorithm.value.make = [](const models::Layout&, int, std::int64_t) {
    return std::make_unique<support::Forgetful>(2);
  };
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}));
  CHECK(result.status == sim::Status::deadlocked);
  CHECK_THAT(result.status_detail, Catch::Contains("all_reduce 'gradient'"));
  CHECK(series(result, "steps").rows.size() == 4);
  // 4 ms + 8 ms + 24 ms a step; the fifth waits from 12 ms on.
  CHECK(metric(result, "step_time_s") == Approx(0.036).epsilon(1e-9));
  CHECK(*result.status_time_s == Approx(4 * 0.036 + 0.012).epsilon(1e-9));
}

TEST_CASE("ranks that wait for one that never comes while they learn are a deadlock too", "[simulate]") {
  sim::TrainingJob job = descent_job();
  support::learn(job, 40);
  job.algorithm.value.trajectory_independent_of_time = true;
  job.algorithm.value.make = [](const models::Layout&, int, std::int64_t) {
    return std::make_unique<support::Forgetful>(2);
  };
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}));
  CHECK(result.status == sim::Status::deadlocked);
  CHECK_THAT(result.status_detail, Catch::Contains("rank 0 waits since 156 ms in all_reduce 'gradient' (16 MB): 3 of 4 "
                                                   "members arrived, missing: 2"));
  CHECK(series(result, "loss").rows.size() == 5);
}

TEST_CASE("ranks that call collectives in different orders while they learn are a deadlock with both lists",
          "[simulate]") {
  sim::TrainingJob job = descent_job();
  support::learn(job, 40);
  job.algorithm.value.trajectory_independent_of_time = true;
  job.algorithm.value.make = [](const models::Layout&, int, std::int64_t) {
    return std::make_unique<support::Contrary>();
  };
  const sim::Result result = result_of(job, star_world(2, models::BytesPerSecond{1e9}));
  CHECK(result.status == sim::Status::deadlocked);
  CHECK_THAT(result.status_detail,
             Catch::Contains("different orders; from call 0 on\n  rank 0: all_reduce 'first' (4 MB)\n  rank 1: "
                             "all_reduce 'second' (4 MB)"));
}

TEST_CASE("a million steps keep exact means and a bounded table of ends", "[simulate]") {
  sim::Recorder recorder(1, sim::Skipping::no, sim::Tracing::off);
  constexpr std::int64_t steps = 1'000'000;
  double begin = 0.0, first = 0.0;
  for (std::int64_t step = 0; step < steps; ++step) {
    const double seconds = step % 2 == 0 ? 0.25 : 0.5;
    if (step == 0) first = seconds;
    recorder.begin_step(step);
    recorder.add(step, sim::Part::forward, seconds);
    recorder.end_step(step, begin, begin + seconds, true);
    begin += seconds;
    recorder.next_step(step);
  }
  CHECK(recorder.steps_closed() == steps);
  CHECK(recorder.phases().front().steady.duration_s == begin - first);
  CHECK(recorder.phases().front().steady.part(sim::Part::forward) == begin - first);
  const auto ends = recorder.step_ends();
  CHECK(ends.size() <= 262'145);
  CHECK(ends.back() == std::pair<std::int64_t, double>(steps - 1, begin));
  CHECK(recorder.last_end_s() == begin);
  CHECK(recorder.end_of(0) == 0.25);
  CHECK(recorder.end_of(499'999) == Approx(0.375 * 500'000).margin(0.5));
}

TEST_CASE("an interrupted run keeps what it has measured", "[simulate]") {
  support::DescentOptions options;
  options.steps = 100000;
  sim::TrainingJob job = descent_job(options);
  job.algorithm.value.make = [](const models::Layout&, int, std::int64_t) {
    return std::make_unique<support::Forgetful>(-1);
  };
  std::atomic<bool> interrupted = false;
  sim::Options interruptible;
  interruptible.limits.interrupted = &interrupted;
  interruptible.progress = [&](const sim::Progress& progress) { interrupted = progress.step > 10; };
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}), interruptible);
  CHECK(result.status == sim::Status::interrupted);
  CHECK(metric(result, "step_time_s") == Approx(0.036).epsilon(1e-9));
}

TEST_CASE("numbers are an illustration below three repeats and a ratio from three on, times are values", "[simulate]") {
  sim::TrainingJob job = descent_job();
  support::learn(job, 100);
  sim::Options repeated;
  repeated.repeats = 3;
  const sim::Result result = result_of(job, star_world(2, models::BytesPerSecond{1e9}), repeated);
  CHECK(result.metric("final_gap")->claim == sim::Claim::ratio);
  CHECK(result.metric("step_time_s")->claim == sim::Claim::value);
  CHECK(result.plane.axis == "gap of noisy_quadratic");
}

TEST_CASE("a method whose behaviour depends on the dimension gives illustrations only", "[simulate]") {
  sim::TrainingJob job = descent_job();
  support::learn(job, 100);
  job.algorithm.value.scaling = models::Scaling::shape;
  sim::Options repeated;
  repeated.repeats = 3;
  const sim::Result result = result_of(job, star_world(2, models::BytesPerSecond{1e9}), repeated);
  CHECK(result.metric("final_gap")->claim == sim::Claim::illustration);
  CHECK(result.plane.scaling == "shape");
}

TEST_CASE("a result says when a flow's ceiling binds and not the link", "[simulate]") {
  topologies::World world;
  topologies::LinkProperties link;
  link.name = "slow_cpu";
  link.bandwidth = models::BytesPerSecond{1e9};
  link.transport.flow_ceiling = models::BytesPerSecond{5e8};
  const std::int32_t properties = world.fabric.add_properties(link);
  world.fabric.connect(world.fabric.add_host("a"), world.fabric.add_host("b"), properties);
  const topologies::World star = star_world(2, models::BytesPerSecond{1e9});
  world.node = star.node;
  world.device = star.device;
  world.devices = star.devices;
  const sim::Result result = result_of(descent_job(), world);
  REQUIRE(result.warnings.size() >= 1);
  CHECK_THAT(result.warnings.back(), Catch::Contains("the ceiling of one transfer") && Catch::Contains("slow_cpu"));
}

TEST_CASE("a trace has compute and communication of every rank", "[simulate]") {
  support::DescentOptions options;
  options.steps = 2;
  sim::Options traced;
  traced.tracing = sim::Tracing::on;
  const sim::Result result = result_of(descent_job(options), star_world(4, models::BytesPerSecond{1e9}), traced);
  double compute = 0.0, communication = 0.0;
  for (const sim::Span& span : result.spans) (span.lane == 0 ? compute : communication) += span.end_s - span.begin_s;
  CHECK(compute == Approx(4 * 2 * 0.0125).epsilon(1e-9));
  CHECK(communication == Approx(4 * 2 * 0.024).epsilon(1e-9));
}

// 8 MB over a ring of 4 at 1 GB/s: 6 rounds of 2 MB.
TEST_CASE("a collective job reports the columns of nccl-tests", "[simulate]") {
  sim::CollectiveJob job;
  job.algorithm = "ring";
  job.sizes = {models::Bytes{8e6}, models::Bytes{16e6}};
  const sim::Result result = result_of(job, star_world(4, models::BytesPerSecond{1e9}));
  const sim::Series& rows = series(result, "collective");
  REQUIRE(rows.rows.size() == 2);
  CHECK(*rows.rows[0][1] == Approx(0.012).epsilon(1e-9));
  CHECK(*rows.rows[0][2] == Approx(8e6 / 0.012).epsilon(1e-9));
  CHECK(*rows.rows[0][3] == Approx(1e9).epsilon(1e-9));
  CHECK(*rows.rows[1][1] == Approx(0.024).epsilon(1e-9));
  CHECK(rows.texts.at({0, 4}) == "ring");
}

TEST_CASE("sizes of collectives are what nccl-tests means by them", "[simulate]") {
  using models::CollectiveKind;
  CHECK(sim::demanded_elements(CollectiveKind::all_reduce, models::Bytes{1024}, models::Bytes{4}, 8) == 256);
  CHECK(sim::demanded_elements(CollectiveKind::all_gather, models::Bytes{1024}, models::Bytes{4}, 8) == 256);
  CHECK(sim::demanded_elements(CollectiveKind::all_to_all, models::Bytes{1024}, models::Bytes{4}, 8) == 2048);
  CHECK(sim::demanded_elements(CollectiveKind::broadcast, models::Bytes{3}, models::Bytes{4}, 8) == 1);
}
