#pragma once
// Workers without a clock: every rank of a group runs its algorithm on real numbers, operations end as soon as all
// their members have come. One thread.

#include <coroutine>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/algorithm/algorithm.hpp"
#include "models/algorithm/worker.hpp"
#include "models/base/error.hpp"
#include "models/objective/objective.hpp"

namespace support {

class InstantRun;

class InstantWorker final : public models::Worker {
 public:
  InstantWorker(InstantRun& run, int member);

  models::Rank rank() const override { return static_cast<models::Rank>(member_); }
  int member() const override { return member_; }
  const models::Group& group() const override;
  const models::Layout& layout() const override;
  std::int64_t steps() const override;
  models::Seconds now() const override { return {}; }
  models::Stream stream(models::Purpose purpose, std::int64_t step, std::int64_t item) const override {
    return {1, purpose, static_cast<std::uint32_t>(member_), static_cast<std::uint32_t>(step),
            static_cast<std::uint32_t>(item)};
  }
  models::Precision precision() const override { return models::Precision::fp16; }
  std::span<float> weights() override { return weights_; }
  std::span<float> gradient() override { return gradient_; }
  void begin_step(std::int64_t step) override;
  models::Operation next_bucket() override;
  models::Operation end_step(std::int64_t step) override;
  models::Operation compute(const models::Kernel& kernel, models::Work work) override;
  models::Operation all_reduce(const models::CollectiveCall& call, std::span<float> numbers,
                               models::Average average) override;
  models::Operation all_to_all(const models::CollectiveCall& call, std::span<const std::byte> outgoing,
                               std::span<std::byte> incoming) override;
  models::Operation all_gather(const models::CollectiveCall& call, std::span<const std::byte> mine,
                               std::span<std::byte> all) override;
  models::Operation all(std::span<const models::Operation> operations) override;
  models::Operation wait(models::Seconds) override;
  void note(std::string_view name, double value) override;

 private:
  friend class InstantRun;
  InstantRun* run_;
  int member_;
  std::size_t next_bucket_ = 0, next_collective_ = 0;
  std::vector<float> weights_, gradient_;
};

class InstantRun final : public models::Operations, public models::Resumer {
 public:
  // `samples`: of a worker's gradient. Without an objective: timing only.
  InstantRun(models::Layout layout, int ranks, std::int64_t steps, const models::Objective* objective,
             std::int64_t samples = 1)
      : layout_(std::move(layout)), steps_(steps), objective_(objective), samples_(samples) {
    for (int i = 0; i < ranks; ++i) {
      group_.ranks.push_back(static_cast<models::Rank>(i));
      group_.node.push_back(i);
    }
    for (int i = 0; i < ranks; ++i) workers.emplace_back(*this, i);
  }

  // Runs one algorithm object per worker to its end.
  void run(const std::function<std::unique_ptr<models::Algorithm>()>& make) {
    std::vector<std::unique_ptr<models::Algorithm>> algorithms;
    std::vector<models::Task> tasks;
    for (InstantWorker& worker : workers) {
      algorithms.push_back(make());
      tasks.push_back(algorithms.back()->run(worker));
      tasks.back().start(*this);
    }
    while (!ready_.empty() || wake_waiters()) {
      const std::coroutine_handle<> next = ready_.front();
      ready_.pop_front();
      next.resume();
    }
    for (const models::Task& task : tasks) task.rethrow_if_failed();
    for (const models::Task& task : tasks) models::ensure(task.done(), "every worker comes to its end");
  }

  std::deque<InstantWorker> workers;
  std::vector<double> gaps;       // f(mean x) - f* after every step
  double diverged_above = 1e300;  // gap that ends the run
  std::function<void(std::int64_t step)> after_step;
  std::map<std::string, double> notes;
  struct Sent {
    models::CollectiveKind kind;
    double full_bytes = 0.0, numeric_bytes = 0.0;
  };                                    // by rank 0
  std::map<std::string, Sent> sent;     // by the call's name, summed over the run
  std::vector<models::Kernel> kernels;  // of rank 0

  bool finished(const models::Operation& operation) const override {
    const Slot& slot = slots_[operation.index];
    for (const models::Operation& part : slot.parts)
      if (!finished(part)) return false;
    return slot.open == 0;
  }
  models::Outcome outcome(const models::Operation& operation) const override { return slots_[operation.index].outcome; }
  void resume_when_finished(const models::Operation& operation, std::coroutine_handle<> waiter) override {
    waiting_.push_back({operation, waiter});
  }
  void resume_later(std::coroutine_handle<> ready) override { ready_.push_back(ready); }

 private:
  friend class InstantWorker;
  struct Slot {
    int open = 0;
    models::Outcome outcome;
    std::vector<models::Operation> parts;
  };
  struct Waiter {
    models::Operation operation;
    std::coroutine_handle<> handle;
  };
  struct Part {
    std::span<float> numbers;
    std::span<const std::byte> out;
    std::span<std::byte> in;
  };
  struct Pending {
    models::CollectiveCall call;
    models::Average average = models::Average::sum;
    std::uint32_t slot = 0;
    std::vector<Part> parts;
  };

  models::Operation open(int count, models::Outcome outcome = {}) {
    slots_.push_back({count, outcome, {}});
    return {this, static_cast<std::uint32_t>(slots_.size() - 1), 0};
  }
  bool wake_waiters() {
    std::vector<Waiter> still;
    for (const Waiter& waiter : waiting_) {
      if (finished(waiter.operation))
        ready_.push_back(waiter.handle);
      else
        still.push_back(waiter);
    }
    waiting_ = still;
    return !ready_.empty();
  }

  models::Operation collective(InstantWorker& worker, const models::CollectiveCall& call, models::Average average,
                               const Part& part) {
    const std::size_t i = worker.next_collective_++;
    if (i == pending_.size())
      pending_.push_back({call, average, open(group_.size()).index, std::vector<Part>(workers.size())});
    Pending& pending = pending_[i];
    models::ensure(std::strcmp(pending.call.name, call.name) == 0 && pending.call.elements == call.elements,
                   "all ranks call the same collectives");
    pending.parts[static_cast<std::size_t>(worker.member_)] = part;
    if (--slots_[pending.slot].open == 0) exchange(pending);
    if (worker.member_ == 0) count_bytes(call, part);
    return {this, pending.slot, 0};
  }

  void exchange(const Pending& pending) const {
    const std::vector<Part>& parts = pending.parts;
    if (pending.call.kind == models::CollectiveKind::all_reduce) {
      for (std::size_t k = 0; k < parts[0].numbers.size(); ++k) {
        float sum = 0.0f;
        for (const Part& part : parts) sum += part.numbers[k];
        if (pending.average == models::Average::mean) sum /= static_cast<float>(parts.size());
        for (const Part& part : parts) part.numbers[k] = sum;
      }
      return;
    }
    for (std::size_t to = 0; to < parts.size(); ++to)
      for (std::size_t from = 0; from < parts.size(); ++from) {
        const std::size_t size = parts[to].in.size() / parts.size();
        const std::size_t first = pending.call.kind == models::CollectiveKind::all_to_all ? to * size : 0;
        if (size > 0) std::memcpy(parts[to].in.data() + from * size, parts[from].out.data() + first, size);
      }
  }

  // What one rank sends: 2 (n - 1) / n of an all-reduced vector, n - 1 parts of the others.
  void count_bytes(const models::CollectiveCall& call, const Part& part) {
    const double n = static_cast<double>(group_.size()),
                 size = static_cast<double>(call.elements) * call.element_size.value;
    Sent& all = sent[call.name];
    all.kind = call.kind;
    switch (call.kind) {
      case models::CollectiveKind::all_reduce:
        all.full_bytes += 2.0 * (n - 1.0) / n * size;
        break;
      case models::CollectiveKind::all_to_all:
        all.full_bytes += (n - 1.0) / (n * n) * size;
        break;
      default:
        all.full_bytes += (n - 1.0) / n * size;
        break;
    }
    const double parts = call.kind == models::CollectiveKind::all_to_all ? n : 1.0;
    all.numeric_bytes += (n - 1.0) / parts * static_cast<double>(part.out.size());
  }

  models::Operation end_step(std::int64_t step) {
    if (ending_ == 0) end_ = open(group_.size());
    --slots_[end_.index].open;
    if (++ending_ < group_.size()) return end_;
    ending_ = 0;
    if (objective_ != nullptr) {
      std::vector<double> mean(workers[0].weights_.size());
      for (const InstantWorker& worker : workers)
        for (std::size_t k = 0; k < mean.size(); ++k)
          mean[k] += static_cast<double>(worker.weights_[k]) / static_cast<double>(workers.size());
      const std::vector<float> rounded(mean.begin(), mean.end());
      gaps.push_back(objective_->loss(rounded) - objective_->optimum().value_or(0.0));
      if (!(gaps.back() < diverged_above)) slots_[end_.index].outcome.item = 1;
    }
    if (after_step) after_step(step);
    return end_;
  }

  models::Layout layout_;
  models::Group group_;
  std::int64_t steps_;
  const models::Objective* objective_;
  std::int64_t samples_;
  std::deque<Slot> slots_;
  std::deque<std::coroutine_handle<>> ready_;
  std::vector<Waiter> waiting_;
  std::deque<Pending> pending_;
  models::Operation end_;
  int ending_ = 0;
};

inline InstantWorker::InstantWorker(InstantRun& run, int member) : run_(&run), member_(member) {
  if (run.objective_ == nullptr) return;
  weights_.resize(static_cast<std::size_t>(run.objective_->dimension()));
  gradient_.resize(weights_.size());
  run.objective_->start(weights_);
}
inline const models::Group& InstantWorker::group() const { return run_->group_; }
inline const models::Layout& InstantWorker::layout() const { return run_->layout_; }
inline std::int64_t InstantWorker::steps() const { return run_->steps_; }
inline void InstantWorker::begin_step(std::int64_t step) {
  next_bucket_ = 0;
  if (learning()) run_->objective_->gradient(weights_, {member_, step, 0, run_->samples_}, gradient_);
}
inline models::Operation InstantWorker::next_bucket() {
  const bool more = next_bucket_ < run_->layout_.buckets.size();
  return run_->open(0, {models::OutcomeKind::delivered, more ? static_cast<std::int64_t>(next_bucket_++) : -1});
}
inline models::Operation InstantWorker::end_step(std::int64_t step) { return run_->end_step(step); }
inline models::Operation InstantWorker::compute(const models::Kernel& kernel, models::Work work) {
  if (member_ == 0) run_->kernels.push_back(kernel);
  if (work) work();
  return run_->open(0);
}
inline models::Operation InstantWorker::all_reduce(const models::CollectiveCall& call, std::span<float> numbers,
                                                   models::Average average) {
  return run_->collective(*this, call, average, {numbers, {}, {}});
}
inline models::Operation InstantWorker::all_to_all(const models::CollectiveCall& call,
                                                   std::span<const std::byte> outgoing, std::span<std::byte> incoming) {
  return run_->collective(*this, call, models::Average::sum, {{}, outgoing, incoming});
}
inline models::Operation InstantWorker::all_gather(const models::CollectiveCall& call, std::span<const std::byte> mine,
                                                   std::span<std::byte> all_parts) {
  return run_->collective(*this, call, models::Average::sum, {{}, mine, all_parts});
}
inline models::Operation InstantWorker::all(std::span<const models::Operation> operations) {
  const models::Operation whole = run_->open(0);
  run_->slots_[whole.index].parts.assign(operations.begin(), operations.end());
  return whole;
}
inline models::Operation InstantWorker::wait(models::Seconds) { return run_->open(0); }
inline void InstantWorker::note(std::string_view name, double value) { run_->notes[std::string(name)] = value; }

// One layer, one bucket.
inline models::Layout plain_layout(std::int64_t full, std::int64_t numeric) {
  models::Layout layout;
  layout.layers = {{"all", full, 0, numeric}};
  layout.buckets = {{0, 0, full, 0, numeric}};
  layout.full_parameters = full;
  layout.numeric_parameters = numeric;
  return layout;
}

}  // namespace support
