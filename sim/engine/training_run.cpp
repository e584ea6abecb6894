#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/defaults.hpp"
#include "models/base/error.hpp"
#include "sim/engine/training_worker.hpp"

namespace sim {

using models::Operation;

namespace {

StepTimes step_times(const TrainingProgram& program, const PassTimes& times) {
  StepTimes step;
  const double micro_batches = static_cast<double>(program.accumulation);
  step.overhead = times.step_overhead.value;
  step.forward = times.forward_total().value * micro_batches;
  step.earlier_backward = times.backward_total().value * (micro_batches - 1.0);
  for (const models::Bucket& bucket : program.layout.buckets) step.bucket.push_back(times.backward_of(bucket).value);
  return step;
}

bool same(const models::Kernel& a, const models::Kernel& b) {
  return a.name == b.name && a.kind == b.kind && a.precision == b.precision && a.flops == b.flops &&
         a.bytes == b.bytes && a.m == b.m && a.n == b.n && a.k == b.k && a.batch == b.batch && a.repeats == b.repeats &&
         a.fixed == b.fixed;
}

// Bytes one rank sends on average, as a share of elements x element_size.
double sent_share(const TrainingProgram& program, models::CollectiveKind kind, std::string_view algorithm) {
  const models::Group& group = program.group;
  const double n = group.size();
  switch (kind) {
    case models::CollectiveKind::all_reduce:
    case models::CollectiveKind::reduce:
    case models::CollectiveKind::gather:
    case models::CollectiveKind::scatter:
    case models::CollectiveKind::send_recv:
    case models::CollectiveKind::neighbor_exchange:
      break;
    // No element reaches a member twice.
    case models::CollectiveKind::reduce_scatter:
    case models::CollectiveKind::all_gather:
    case models::CollectiveKind::broadcast:
      return (n - 1.0) / n;
    case models::CollectiveKind::all_to_all:
      return (n - 1.0) / (n * n);
  }
  const auto* row = models::collectives().find(algorithm);
  models::ensure(row != nullptr, "a played collective has a row");
  const std::int64_t elements = std::int64_t{group.size()} * group.size();  // splits leave no remainder
  double sent = 0.0;
  std::vector<models::Transfer> round;
  const bool own = program.job.schedules && algorithm == program.job.collective;
  const models::CollectiveAlgorithm made = own ? *program.job.schedules : models::made_by_default(*row);
  for (const models::Phase& phase : made.schedule(group, {kind, elements, 0})) {
    round.clear();
    phase.fill(0, round);
    for (const models::Transfer& transfer : round)
      sent += static_cast<double>(transfer.elements.count) * static_cast<double>(phase.repeats);
  }
  return sent / static_cast<double>(elements) / n;
}

}  // namespace

TrainingRun::TrainingRun(const TrainingProgram& trained, const topologies::World& in, Core& on, Player& player,
                         const Options& options, const Trajectory* joined, std::unique_ptr<NumericPlane> numeric)
    : program(trained),
      world(in),
      core(on),
      recorder(trained.group.size(), joined == nullptr && !numeric ? Skipping::alike_steps : Skipping::no,
               options.tracing),
      memory(trained.step_plan, trained.buffers),
      seed(options.seed),
      trajectory(joined),
      plane(std::move(numeric)),
      communicator_(on, player, trained.group,
                    [this](const Communicator::Completion& completion) { completed(completion); }) {
  player.set_library(program.job.library.protocol.value, program.job.library.channels);
  for (const PassTimes& device : program.times) times.push_back(step_times(program, device));
  memory.begin_run();
  if (plane) numbers.rows.push_back(plane->evaluate(0));
}

void TrainingRun::spawn_workers() {
  const int members = program.group.size();
  workers_.reserve(static_cast<std::size_t>(members));
  algorithms_.reserve(static_cast<std::size_t>(members));
  for (int member = 0; member < members; ++member) {
    workers_.emplace_back(*this, member);
    algorithms_.push_back(program.job.algorithm.value.make(program.layout, members, program.job.steps));
    core.spawn(algorithms_.back()->run(workers_.back()));
  }
}

double TrainingRun::kernel_time(const models::Kernel& kernel, int device) {
  for (const KernelTime& known : kernel_times_)
    if (known.device == device && same(known.kernel, kernel)) return known.seconds;
  const double seconds = program.job.cost_model(kernel, world.devices[static_cast<std::size_t>(device)]).value;
  constexpr std::size_t most_remembered = 64;
  if (kernel_times_.size() < most_remembered) kernel_times_.push_back({kernel, device, seconds});
  return seconds;
}

Operation TrainingRun::join(int member, const models::CollectiveCall& call, models::Average average,
                            const Contribution& contribution) {
  models::CollectiveCall played = call;
  const bool chosen = std::string_view(call.algorithm) != "auto" || call.kind != models::CollectiveKind::all_reduce;
  if (!chosen) {
    played.algorithm = program.job.collective.c_str();
    if (program.job.schedules) played.made = &*program.job.schedules;
  }
  if (program.group.size() == 1) {
    played.algorithm = "auto";
    played.made = nullptr;
  }
  const Communicator::Joined joined = communicator_.join(member, played);
  if (plane) {
    const std::size_t position = static_cast<std::size_t>(joined.sequence - collectives_done_);
    while (numeric_.size() <= position) {
      numeric_.emplace_back();
      numeric_.back().members.resize(static_cast<std::size_t>(program.group.size()));
    }
    numeric_[position].kind = call.kind;
    numeric_[position].average = average;
    numeric_[position].members[static_cast<std::size_t>(member)] = contribution;
  }
  return joined.operation;
}

double TrainingRun::wire_per_rank(const models::CollectiveCall& call, std::string_view algorithm) {
  const double bytes = static_cast<double>(call.elements) * call.element_size.value;
  for (const Wire& known : wires_)
    if (known.kind == call.kind && known.algorithm == algorithm) return known.share * bytes;
  wires_.push_back({call.kind, std::string(algorithm), sent_share(program, call.kind, algorithm)});
  return wires_.back().share * bytes;
}

void TrainingRun::completed(const Communicator::Completion& completion) {
  queueing_.add(completion);
  const double begin = completion.played.begin.value, end = completion.played.end.value;
  recorder.communication(begin, end,
                         program.group.size() == 1 ? 0.0 : wire_per_rank(completion.call, completion.played.algorithm));
  if (recorder.tracing())
    for (const models::Rank rank : program.group.ranks)
      recorder.span(static_cast<int>(rank), 1, completion.call.name, begin, end);
  ++collectives_done_;
  if (!plane) return;
  const NumericCollective* const done = &numeric_.front();
  exchange_numbers({&done, 1});
  numeric_.pop_front();
}

void TrainingRun::ended(int member, std::int64_t steps_done, double time_s) {
  if (!plane) return;
  if (plane->has_work()) plane->run_all();
  if (!plane->evaluation_due(steps_done)) return;
  if (evaluations_.empty() || evaluations_.back().steps_done < steps_done) {
    evaluations_.emplace_back();
    evaluations_.back().steps_done = steps_done;
    evaluations_.back().weights.resize(static_cast<std::size_t>(program.group.size()));
  }
  auto evaluation = std::find_if(evaluations_.begin(), evaluations_.end(),
                                 [steps_done](const Evaluation& e) { return e.steps_done == steps_done; });
  const std::span<const float> weights = plane->weights(member);
  evaluation->weights[static_cast<std::size_t>(member)].assign(weights.begin(), weights.end());
  if (++evaluation->arrived < program.group.size()) return;
  const std::vector<std::span<const float>> members(evaluation->weights.begin(), evaluation->weights.end());
  numbers.rows.push_back(plane->evaluate(steps_done, members));
  evaluations_.erase(evaluation);
  if (!plane->diverged(numbers.rows.back())) return;
  numbers.diverged_at = steps_done;
  core.stop(fmt::format("diverged at {} s", time_s));
}

}  // namespace sim
