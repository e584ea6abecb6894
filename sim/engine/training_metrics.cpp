#include "sim/engine/training_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/engine/machine.hpp"

namespace sim {
namespace {

constexpr std::size_t most_rows = 2000;  // of a series

using Rows = std::vector<std::vector<std::optional<double>>>;

// Every k-th row and the last, at most most_rows.
template <class Item, class Cells>
Rows thinned(const std::vector<Item>& items, std::size_t count, const Cells& cells) {
  Rows rows;
  const std::size_t stride = std::max<std::size_t>(1, (count + most_rows - 2) / (most_rows - 1));
  for (std::size_t i = 0; i < count; ++i)
    if (i % stride == 0 || i + 1 == count) rows.push_back(cells(items[i]));
  return rows;
}

// Of all steps but the run's first; of that one when there is no other.
StepSums steady_sums(const std::vector<PhaseSums>& phases) {
  StepSums sum;
  for (const PhaseSums& phase : phases)
    if (phase.steady.steps > 0.0 || phase.skipped > 0) sum += phase.total();
  if (sum.steps == 0.0)
    for (const PhaseSums& phase : phases) sum += phase.last;
  return sum;
}

class Metrics {
 public:
  explicit Metrics(std::vector<Metric>& into) : into_(into) {}
  void add(const char* name, std::optional<double> value, Claim claim = Claim::value) {
    into_.push_back({name, value, claim});
  }

 private:
  std::vector<Metric>& into_;
};

double peak_flops(const TrainingRun& run) {
  double sum = 0.0;
  for (int host = 0; host < run.program.group.size(); ++host)
    sum += run.world.device_of(host).peak[static_cast<std::size_t>(run.program.job.precision)].value;
  return sum / static_cast<double>(run.program.group.size());
}

// Mean step over the whole run, phases in the proportion in which they occur.
std::optional<double> mean_step(const TrainingRun& run) {
  double seconds = 0.0, steps = 0.0;
  for (const PhaseSums& phase : run.recorder.phases()) {
    const StepSums total = phase.total();
    if (total.steps == 0.0) continue;
    const double count = static_cast<double>(phase.simulated + phase.skipped);
    seconds += total.duration_s / total.steps * count;
    steps += count;
  }
  if (steps == 0.0) return std::nullopt;
  return seconds / steps / static_cast<double>(run.program.group.size());
}

void add_times(Result& result, const TrainingRun& run) {
  const TrainingProgram& program = run.program;
  const StepSums sum = steady_sums(run.recorder.phases());
  const double rank_steps = sum.steps * static_cast<double>(program.group.size());
  const bool any = sum.steps > 0.0;
  const auto mean = [&](double seconds) { return any ? std::optional(seconds / rank_steps) : std::nullopt; };
  const auto per_step = [&](double amount) { return any ? std::optional(amount / sum.steps) : std::nullopt; };
  const std::optional<double> step = mean(sum.duration_s);
  const auto rate = [&](double amount) { return step && *step > 0.0 ? std::optional(amount / *step) : std::nullopt; };
  const auto known = [](double amount, std::optional<double> value) { return amount > 0.0 ? value : std::nullopt; };

  Metrics metrics(result.metrics);
  metrics.add("step_time_s", step);
  metrics.add("forward_s", mean(sum.part(Part::forward)));
  metrics.add("backward_s", mean(sum.part(Part::backward)));
  metrics.add("communication_s", per_step(sum.communication_s));
  metrics.add("exposed_communication_s", mean(sum.part(Part::exposed_communication)));
  metrics.add("codec_s", mean(sum.part(Part::codec)));
  metrics.add("optimizer_s", mean(sum.part(Part::optimizer)));
  metrics.add("other_s", mean(sum.part(Part::other)));
  const double samples = static_cast<double>(program.global_batch);
  const double micro_batches = static_cast<double>(program.accumulation) * static_cast<double>(program.group.size());
  const double tokens = static_cast<double>(program.step_plan.tokens) * micro_batches;
  metrics.add("throughput_samples_per_s", rate(samples));
  metrics.add("throughput_tokens_per_s", known(tokens, rate(tokens)));
  const double peak = peak_flops(run), passes = static_cast<double>(program.accumulation);
  metrics.add("model_flops_utilization", known(peak, rate(program.step_plan.model_flops.value * passes / peak)));
  metrics.add("hardware_flops_utilization", known(peak, rate(program.step_plan.hardware_flops.value * passes / peak)));
  metrics.add("wire_B_per_step_per_rank", per_step(sum.wire_B));
  metrics.add("peak_memory_B", run.memory.ledger().peak());
  if (program.job.total_steps) {
    const std::optional<double> overall = mean_step(run);
    metrics.add("projected_total_time_s",
                overall ? std::optional(*overall * static_cast<double>(*program.job.total_steps)) : std::nullopt);
  }

  if (!any) return;
  const double compute = (sum.duration_s - sum.part(Part::exposed_communication)) / rank_steps;
  const double communication = sum.wire_B / sum.steps / slowest_nominal_bandwidth(run.world, program.group.size());
  const double naive_step = std::max(compute, communication);
  Metrics naive(result.naive);
  naive.add("step_time_s", naive_step);
  naive.add("communication_s", communication);
  naive.add("throughput_samples_per_s", samples / naive_step);
  if (tokens > 0.0) naive.add("throughput_tokens_per_s", tokens / naive_step);
}

void add_phases(Result& result, const TrainingRun& run) {
  Series series;
  series.name = "phases";
  series.columns = {"phase",
                    "first_step",
                    "steps",
                    "step_time_s",
                    "communication_s",
                    "exposed_communication_s",
                    "codec_s",
                    "optimizer_s",
                    "throughput_samples_per_s",
                    "wire_B_per_step_per_rank"};
  const double ranks = static_cast<double>(run.program.group.size());
  for (const PhaseSums& phase : run.recorder.phases()) {
    const StepSums sum = phase.total();
    if (sum.steps == 0.0) continue;
    const double rank_steps = sum.steps * ranks, step = sum.duration_s / rank_steps;
    series.texts[{series.rows.size(), 0}] = phase.name.empty() ? "training" : phase.name;
    series.rows.push_back(
        {std::nullopt, static_cast<double>(phase.first_step), static_cast<double>(phase.simulated + phase.skipped),
         step, sum.communication_s / sum.steps, sum.part(Part::exposed_communication) / rank_steps,
         sum.part(Part::codec) / rank_steps, sum.part(Part::optimizer) / rank_steps,
         step > 0.0 ? std::optional(static_cast<double>(run.program.global_batch) / step) : std::nullopt,
         sum.wire_B / sum.steps});
    if (phase.skipped > 0)
      result.warnings.push_back(fmt::format(
          "timing: steps {} to {}{} are equal to the one before to 1e-9 and were not simulated again",
          phase.until - phase.skipped, phase.until - 1, phase.name.empty() ? std::string() : " (" + phase.name + ")"));
  }
  if (!series.rows.empty()) result.series.push_back(std::move(series));
}

Claim numeric_claim(const TrainingRun& run, const Options& options) {
  const models::AlgorithmSpec& spec = run.program.job.algorithm.value;
  const bool transfers = spec.scaling == models::Scaling::free;
  const bool settles = static_cast<double>(run.program.job.steps) >= spec.horizon_steps;
  return transfers && settles && options.repeats >= 3 ? Claim::ratio : Claim::illustration;
}

void add_numbers(Result& result, const TrainingRun& run, const Trajectory& numbers, const Options& options) {
  const Learning& learning = *run.program.job.learning;
  const auto time_of = [&run](std::int64_t steps_done) {
    return steps_done == 0 ? 0.0 : run.recorder.end_of(steps_done - 1);
  };
  // A run cut off by a limit shows the numbers of the steps it has timed.
  std::size_t timed = 0;
  while (timed < numbers.rows.size() && numbers.rows[timed].step <= run.recorder.steps_closed()) ++timed;

  Series loss;
  loss.name = "loss";
  loss.columns = {"step", "time_s", "gap"};
  loss.rows = thinned(numbers.rows, timed, [&](const Trajectory::Row& row) {
    return std::vector<std::optional<double>>{
        static_cast<double>(row.step), time_of(row.step),
        std::isfinite(row.relative_gap) ? std::optional(row.relative_gap) : std::nullopt};
  });
  const Claim claim = numeric_claim(run, options);
  Metrics metrics(result.metrics);
  const Trajectory::Row* last = timed > 0 ? &numbers.rows[timed - 1] : nullptr;
  metrics.add("final_gap", last && std::isfinite(last->relative_gap) ? std::optional(last->relative_gap) : std::nullopt,
              claim);
  metrics.add("consensus_distance",
              last && std::isfinite(last->consensus_distance) ? std::optional(last->consensus_distance) : std::nullopt,
              claim);
  if (learning.target_relative_gap) {
    Trajectory seen = numbers;
    seen.rows.resize(timed);
    const auto steps =
        steps_to_target(seen, *learning.target_relative_gap, run.program.job.steps, learning.evaluate_every);
    metrics.add("steps_to_target", steps ? std::optional(static_cast<double>(*steps)) : std::nullopt, claim);
    metrics.add("time_to_target_s", steps ? std::optional(time_of(*steps)) : std::nullopt, claim);
    if (!steps && last && last->relative_gap < *learning.target_relative_gap)
      result.warnings.push_back(
          "learning.target: the gap is below the target at the end, but not for long enough to count (2 % of the steps "
          "or 10 evaluations)");
  }
  result.series.push_back(std::move(loss));
  const auto objective = learning.objective.make({options.seed, run.program.group.size(), &run.program.layout});
  result.plane.axis = objective->axis();
  if (!objective->optimum())
    result.warnings.push_back(
        "learning: the optimum of this objective is not known; the gap is the loss over its first value");
}

}  // namespace

std::optional<std::int64_t> steps_to_target(const Trajectory& numbers, double target, std::int64_t steps,
                                            std::int64_t evaluate_every) {
  constexpr double share_of_steps = 0.02;
  constexpr std::int64_t evaluations = 10;
  const double held =
      std::max(share_of_steps * static_cast<double>(steps), static_cast<double>(evaluations * evaluate_every));
  std::optional<std::int64_t> since;
  for (const Trajectory::Row& row : numbers.rows) {
    if (!(row.relative_gap < target))
      since.reset();
    else if (!since)
      since = row.step;
    if (since && static_cast<double>(row.step - *since) >= held) return since;
  }
  return std::nullopt;
}

void add_training_result(Result& result, const TrainingRun& run, const Trajectory* numbers, const Options& options) {
  const TrainingProgram& program = run.program;
  add_times(result, run);
  add_phases(result, run);
  Series steps;
  steps.name = "steps";
  steps.columns = {"step", "time_s"};
  const std::vector<std::pair<std::int64_t, double>> ends = run.recorder.step_ends();
  steps.rows = thinned(ends, ends.size(),
                       [](const std::pair<std::int64_t, double>& end) {
                         return std::vector<std::optional<double>>{static_cast<double>(end.first + 1), end.second};
                       });
  result.series.push_back(std::move(steps));
  if (Series queueing = run.queueing().series(); !queueing.rows.empty()) result.series.push_back(std::move(queueing));
  result.plane.full_parameters = program.layout.full_parameters;
  result.plane.numeric_parameters = program.layout.numeric_parameters;
  constexpr const char* scalings[] = {"free", "dimension", "shape"};
  result.plane.scaling = scalings[static_cast<std::size_t>(program.job.algorithm.value.scaling)];
  if (numbers != nullptr) add_numbers(result, run, *numbers, options);
  result.memory = memory_entries(run.memory.ledger(),
                                 program.group.size() == 1 ? "0" : fmt::format("0-{}", program.group.size() - 1));
  const double skipped_B = run.recorder.skipped_wire_B() * static_cast<double>(program.group.size());
  result.bytes.sent_B += skipped_B;
  result.bytes.received_B += skipped_B;
}

}  // namespace sim
