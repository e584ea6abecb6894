#include "sim/engine/simulate.hpp"

#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/engine/collective_run.hpp"
#include "sim/engine/machine.hpp"
#include "sim/engine/training_metrics.hpp"
#include "sim/engine/training_worker.hpp"

namespace sim {
namespace {

void add_training_limits(Result& result, const TrainingProgram& program) {
  const NotModelled effects[] = {
      {"communication kernels take multiprocessors and memory bandwidth from compute, unless device.overlap_slowdown "
       "says how much",
       "optimistic", "", "compute and communication streams are independent"},
      {"reading and preparing the training data, checkpoints, validation, restarts", "optimistic", "",
       "a step begins with its batch in memory"},
      {"fragmentation of the caching allocator", "optimistic", "", "buffers are summed at their sizes"},
  };
  result.not_modelled.insert(result.not_modelled.end(), std::begin(effects), std::end(effects));
  if (program.job.learning)
    result.not_modelled.push_back({"rounding of 16-bit gradients and sums: the numeric plane reduces in fp32",
                                   "optimistic", "", "design section 2"});
}

// How the run ended, where the numbers say it and not the clock.
void add_numeric_end(Result& result, const TrainingRun& run, const Trajectory& numbers) {
  if (result.status != Status::completed && result.status != Status::diverged) return;
  if (numbers.diverged_at >= 0 && run.recorder.steps_closed() >= numbers.diverged_at) {
    result.status = Status::diverged;
    result.status_time_s = run.recorder.last_end_s();
    result.status_detail = fmt::format("the gap left its bound after step {}", numbers.diverged_at);
  } else if (numbers.interrupted) {
    result.status = Status::interrupted;
    result.status_time_s = run.recorder.last_end_s();
    result.status_detail = fmt::format("the numbers were interrupted after step {}", numbers.steps_done);
  }
}

Result run_training(const TrainingProgram& program, const topologies::World& world, const Options& options) {
  const bool learning = program.job.learning.has_value();
  const bool full =
      learning && (options.numbers == Numbers::full || !program.job.algorithm.value.trajectory_independent_of_time);
  const auto tell = [&options](double seconds, std::int64_t step, std::int64_t steps, std::int64_t events) {
    if (options.progress) options.progress({seconds, step, steps, events});
  };

  std::optional<Trajectory> computed;
  const Trajectory* joined = learning && !full ? options.trajectory : nullptr;
  if (learning && !full && joined == nullptr) {
    computed = compute_trajectory(program, options.seed, options.limits.interrupted,
                                  [&](std::int64_t step, std::int64_t steps) { tell(0.0, step, steps, 0); });
    joined = &*computed;
  }

  Machine machine(world, options.fidelity, options.seed);
  TrainingRun run(program, world, machine.core, machine.player, options, joined,
                  full ? std::make_unique<NumericPlane>(program, options.seed) : nullptr);
  run.spawn_workers();
  const RunLimits limits{options.limits.simulated, options.limits.wall_s, options.limits.interrupted,
                         [&](Seconds now, std::int64_t events) {
                           tell(now.value, run.recorder.steps_closed() + run.recorder.steps_skipped(),
                                program.job.steps, events);
                         }};
  const RunOutcome outcome = machine.core.run(limits);

  Result result;
  add_outcome(result, machine, outcome);
  const Trajectory* numbers = full ? &run.numbers : joined;
  if (numbers != nullptr) add_numeric_end(result, run, *numbers);
  add_training_result(result, run, numbers, options);
  add_provenance(result, world, program.group.size());
  add_training_limits(result, program);
  if (run.recorder.spans_cut()) result.warnings.push_back("trace: cut off after 500,000 intervals");
  result.spans = std::move(run.recorder.spans());
  return result;
}

}  // namespace

Result simulate(const Program& program, const topologies::World& world, const Options& options) {
  Result result;
  if (const TrainingProgram* training = std::get_if<TrainingProgram>(&program.role)) {
    result = run_training(*training, world, options);
  } else {
    result = run_collectives(std::get<CollectiveProgram>(program.role), world, options);
  }
  result.warnings.insert(result.warnings.begin(), program.warnings.begin(), program.warnings.end());
  return result;
}

}  // namespace sim
