#include "sim/numeric/trajectory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "models/base/error.hpp"
#include "sim/numeric/exchange_numbers.hpp"
#include "sim/numeric/numeric_plane.hpp"

namespace sim {
namespace {

using models::Operation;
using models::Outcome;

constexpr std::uint32_t none = ~std::uint32_t{0};

struct PendingCollective {
  models::CollectiveCall call;
  NumericCollective numbers;
  std::vector<std::uint32_t> operations;  // by member
  int arrived = 0;
};

// Operations without time: works run when no worker can go on, collectives when no work is left, the end of a step when
// all have reached it. The table is emptied there: what is not awaited by then has ended.
class InstantCore final : public models::Operations, public models::Resumer {
 public:
  InstantCore(const TrainingProgram& trained, std::uint64_t run_seed)
      : program(trained), seed(run_seed), plane(trained, run_seed) {
    next_collective_.assign(static_cast<std::size_t>(program.group.size()), 0);
    next_bucket_.assign(next_collective_.size(), 0);
    trajectory.rows.push_back(plane.evaluate(0));
  }

  bool finished(const Operation& operation) const override {
    return operation.generation != generation_ || slots_[operation.index].finished;
  }
  Outcome outcome(const Operation& operation) const override {
    if (operation.generation == generation_) return slots_[operation.index].outcome;
    return operation.generation + 1 == generation_ ? last_step_[operation.index].outcome : Outcome{};
  }
  void resume_when_finished(const Operation& operation, std::coroutine_handle<> waiter) override {
    models::ensure(!slots_[operation.index].waiter, "an operation is awaited once");
    slots_[operation.index].waiter = waiter;
  }
  void resume_later(std::coroutine_handle<> ready) override { ready_.push_back(ready); }

  Operation done(Outcome outcome = {}) {
    const Operation operation = open();
    slots_[operation.index].finished = true;
    slots_[operation.index].outcome = outcome;
    return operation;
  }

  void begin_step(int member, std::int64_t step) {
    next_bucket_[static_cast<std::size_t>(member)] = 0;
    plane.add(member, plane.gradient_work(member, step));
  }
  Operation next_bucket(int member) {
    std::size_t& next = next_bucket_[static_cast<std::size_t>(member)];
    const std::int64_t item = next < program.layout.buckets.size() ? static_cast<std::int64_t>(next++) : -1;
    return after_work({models::OutcomeKind::delivered, item});
  }
  Operation compute(int member, models::Work work) {
    if (work) plane.add(member, std::move(work));
    return after_work({});
  }
  Operation collective(int member, const models::CollectiveCall& call, models::Average average,
                       const Contribution& contribution);
  Operation all(std::span<const Operation> operations);
  Operation end_step(std::int64_t step) {
    models::ensure(step == trajectory.steps_done, "all ranks are at the same step");
    const Operation operation = open();
    ending_.push_back(operation.index);
    return operation;
  }

  // Until no coroutine can be resumed any more.
  void run(const std::atomic<bool>* interrupted, const std::function<void(std::int64_t, std::int64_t)>& progress);

  const TrainingProgram& program;
  std::uint64_t seed;
  NumericPlane plane;
  Trajectory trajectory;

 private:
  struct Slot {
    std::coroutine_handle<> waiter;
    Outcome outcome;
    std::uint32_t pending = 0, whole = none;  // of all(): unfinished parts; of a part: its all()
    bool finished = false;
  };

  Operation open() {
    slots_.emplace_back();
    return {this, static_cast<std::uint32_t>(slots_.size() - 1), generation_};
  }
  Operation after_work(Outcome outcome) {
    const Operation operation = open();
    slots_[operation.index].outcome = outcome;
    if (plane.has_work())
      working_.push_back(operation.index);
    else
      slots_[operation.index].finished = true;
    return operation;
  }
  void finish(std::uint32_t index) {
    slots_[index].finished = true;
    if (slots_[index].waiter) ready_.push_back(slots_[index].waiter);
    if (const std::uint32_t whole = slots_[index].whole; whole != none && --slots_[whole].pending == 0) finish(whole);
  }
  void resume_ready() {
    while (!ready_.empty()) {
      std::swap(ready_, resuming_);
      for (const std::coroutine_handle<> waiter : resuming_) waiter.resume();
      resuming_.clear();
    }
  }
  bool finish_works();
  bool finish_collectives();
  bool finish_step(const std::atomic<bool>* interrupted);

  std::vector<Slot> slots_,
      last_step_;  // operations of this step; of the last one, for those who still read its outcome
  std::uint32_t generation_ = 0;
  std::vector<std::coroutine_handle<>> ready_, resuming_;
  std::vector<std::uint32_t> working_, ending_;
  std::vector<PendingCollective> collectives_;  // since the start of the step, oldest first
  std::size_t finished_collectives_ = 0;
  std::vector<std::size_t> next_collective_, next_bucket_;  // by member
};

Operation InstantCore::collective(int member, const models::CollectiveCall& call, models::Average average,
                                  const Contribution& contribution) {
  const std::size_t i = next_collective_[static_cast<std::size_t>(member)]++;
  if (i == collectives_.size()) {
    PendingCollective pending;
    pending.call = call;
    pending.numbers.kind = call.kind;
    pending.numbers.average = average;
    pending.numbers.members.resize(static_cast<std::size_t>(program.group.size()));
    pending.operations.assign(pending.numbers.members.size(), none);
    collectives_.push_back(std::move(pending));
  }
  PendingCollective& pending = collectives_[i];
  const Operation operation = open();
  if (pending.call.kind != call.kind || pending.call.elements != call.elements ||
      std::strcmp(pending.call.name, call.name) != 0) {
    trajectory.stuck = true;  // nothing ends this operation
    return operation;
  }
  pending.numbers.members[static_cast<std::size_t>(member)] = contribution;
  pending.operations[static_cast<std::size_t>(member)] = operation.index;
  ++pending.arrived;
  return operation;
}

Operation InstantCore::all(std::span<const Operation> operations) {
  const Operation whole = open();
  for (const Operation& part : operations) {
    if (finished(part)) continue;
    slots_[part.index].whole = whole.index;
    ++slots_[whole.index].pending;
  }
  slots_[whole.index].finished = slots_[whole.index].pending == 0;
  return whole;
}

bool InstantCore::finish_works() {
  if (!plane.has_work()) return false;
  plane.run_all();
  const std::vector<std::uint32_t> done = std::exchange(working_, {});
  for (const std::uint32_t index : done) finish(index);
  return true;
}

bool InstantCore::finish_collectives() {
  std::vector<const NumericCollective*> complete;
  const std::size_t first = finished_collectives_;
  std::size_t last = first;
  while (last < collectives_.size() && collectives_[last].arrived == program.group.size())
    complete.push_back(&collectives_[last++].numbers);
  if (complete.empty()) return false;
  exchange_numbers(complete);
  finished_collectives_ = last;
  for (std::size_t i = first; i < last; ++i)
    for (const std::uint32_t operation : collectives_[i].operations) finish(operation);
  return true;
}

bool InstantCore::finish_step(const std::atomic<bool>* interrupted) {
  if (trajectory.stuck || ending_.size() != static_cast<std::size_t>(program.group.size())) return false;
  models::ensure(finished_collectives_ == collectives_.size(), "no collective is open at the end of a step");
  std::int64_t stop = 0;
  const std::int64_t steps_done = ++trajectory.steps_done;
  if (plane.evaluation_due(steps_done)) {
    trajectory.rows.push_back(plane.evaluate(steps_done));
    if (plane.diverged(trajectory.rows.back())) {
      trajectory.diverged_at = steps_done;
      stop = 1;
    }
  }
  if (interrupted && interrupted->load(std::memory_order_relaxed) && steps_done < program.job.steps) {
    trajectory.interrupted = true;
    stop = 1;
  }
  for (const std::uint32_t index : ending_) {
    slots_[index].outcome.item = stop;
    finish(index);
  }
  std::swap(slots_, last_step_);
  slots_.clear();
  ++generation_;
  ending_.clear();
  collectives_.clear();
  finished_collectives_ = 0;
  std::fill(next_collective_.begin(), next_collective_.end(), std::size_t{0});
  return true;
}

void InstantCore::run(const std::atomic<bool>* interrupted,
                      const std::function<void(std::int64_t, std::int64_t)>& progress) {
  resume_ready();
  for (;;) {
    if (!finish_works() && !finish_collectives()) {
      if (!finish_step(interrupted)) return;
      if (progress) progress(trajectory.steps_done, program.job.steps);
    }
    resume_ready();
  }
}

class InstantWorker final : public models::Worker {
 public:
  InstantWorker(InstantCore& core, int member) : core_(&core), member_(member) {}

  models::Rank rank() const override { return core_->program.group.ranks[static_cast<std::size_t>(member_)]; }
  int member() const override { return member_; }
  const models::Group& group() const override { return core_->program.group; }
  const models::Layout& layout() const override { return core_->program.layout; }
  std::int64_t steps() const override { return core_->program.job.steps; }
  Seconds now() const override { return {}; }
  models::Stream stream(models::Purpose purpose, std::int64_t step, std::int64_t item) const override {
    return {core_->seed, purpose, static_cast<std::uint32_t>(rank()), static_cast<std::uint32_t>(step),
            static_cast<std::uint32_t>(item)};
  }
  models::Precision precision() const override { return core_->program.job.precision; }
  std::span<float> weights() override { return core_->plane.weights(member_); }
  std::span<float> gradient() override { return core_->plane.gradient(member_); }

  void begin_step(std::int64_t step) override { core_->begin_step(member_, step); }
  Operation next_bucket() override { return core_->next_bucket(member_); }
  Operation end_step(std::int64_t step) override { return core_->end_step(step); }
  Operation compute(const models::Kernel&, models::Work work) override {
    return core_->compute(member_, std::move(work));
  }

  Operation all_reduce(const models::CollectiveCall& call, std::span<float> numbers, models::Average average) override {
    return core_->collective(member_, call, average, {numbers, {}, {}});
  }
  Operation all_to_all(const models::CollectiveCall& call, std::span<const std::byte> outgoing,
                       std::span<std::byte> incoming) override {
    return core_->collective(member_, call, models::Average::sum, {{}, outgoing, incoming});
  }
  Operation all_gather(const models::CollectiveCall& call, std::span<const std::byte> mine,
                       std::span<std::byte> all_parts) override {
    return core_->collective(member_, call, models::Average::sum, {{}, mine, all_parts});
  }
  Operation all(std::span<const Operation> operations) override { return core_->all(operations); }
  Operation wait(Seconds) override { return core_->done(); }
  void note(std::string_view name, double value) override { core_->trajectory.notes[std::string(name)] = value; }

 private:
  InstantCore* core_;
  int member_;
};

}  // namespace

Trajectory compute_trajectory(const TrainingProgram& program, std::uint64_t seed, const std::atomic<bool>* interrupted,
                              const std::function<void(std::int64_t step, std::int64_t steps)>& progress) {
  InstantCore core(program, seed);
  const int members = program.group.size();
  std::vector<InstantWorker> workers;
  std::vector<std::unique_ptr<models::Algorithm>> algorithms;
  std::vector<models::Task> tasks;
  for (int member = 0; member < members; ++member) {
    workers.emplace_back(core, member);
    algorithms.push_back(program.job.algorithm.value.make(program.layout, members, program.job.steps));
  }
  for (std::size_t member = 0; member < workers.size(); ++member) {
    tasks.push_back(algorithms[member]->run(workers[member]));
    tasks.back().start(core);
  }
  core.run(interrupted, progress);
  for (const models::Task& task : tasks)
    if (task.done()) task.rethrow_if_failed();
  for (const models::Task& task : tasks) core.trajectory.stuck = core.trajectory.stuck || !task.done();
  return std::move(core.trajectory);
}

}  // namespace sim
