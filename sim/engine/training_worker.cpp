#include "sim/engine/training_worker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/error.hpp"

namespace sim {

using models::Operation;

TrainingWorker::TrainingWorker(TrainingRun& run, int member)
    : run_(&run), member_(member), device_(run.world.device[static_cast<std::size_t>(member)]) {}

models::Stream TrainingWorker::stream(models::Purpose purpose, std::int64_t step, std::int64_t item) const {
  return {run_->seed, purpose, static_cast<std::uint32_t>(rank()), static_cast<std::uint32_t>(step),
          static_cast<std::uint32_t>(item)};
}

double TrainingWorker::slowdown() const {
  return run_->communicating(joined_) ? run_->world.devices[static_cast<std::size_t>(device_)].overlap_slowdown : 1.0;
}

void TrainingWorker::idle_until(double time_s) {
  if (time_s <= free_s_) return;
  const double idle = time_s - free_s_, waited = std::min(idle, waited_s_);
  waited_s_ -= waited;
  if (waited > 0.0) run_->recorder.add(step_, Part::other, waited);
  run_->recorder.add(step_, Part::exposed_communication, idle - waited);
  free_s_ = time_s;
}

void TrainingWorker::occupy(Part part, double seconds, const char* name) {
  if (seconds <= 0.0) return;
  run_->recorder.add(step_, part, seconds);
  run_->recorder.span(static_cast<int>(rank()), 0, name, free_s_, free_s_ + seconds);
  free_s_ += seconds;
}

Operation TrainingWorker::ending_at(double time_s, Operation operation, std::int64_t item) {
  // Same instant, called first: numbers are there before anybody reads them.
  if (run_->plane && run_->plane->has_work()) run_->core.call_at({time_s}, *this, 0);
  run_->core.finish_at(operation, {time_s}, item);
  return operation;
}

void TrainingWorker::due(std::uint64_t) {
  if (run_->plane->has_work()) run_->plane->run_all();
}

void TrainingWorker::begin_step(std::int64_t step) {
  step_ = step;
  bucket_ = buckets_run_ = 0;
  run_->recorder.begin_step(step);
  idle_until(now().value);
  occupy(Part::other, times().overhead, "step overhead");
  occupy(Part::backward, times().earlier_backward, "earlier micro-batches");
  occupy(Part::forward, times().forward, "forward");
  if (run_->plane) run_->plane->add(member_, run_->plane->gradient_work(member_, step));
  if (member_ != 0) return;
  const int last = static_cast<int>(run_->program.step_plan.layers.size()) - 1;
  for (std::int64_t micro = 1; micro < run_->program.accumulation; ++micro) {
    run_->memory.forward();
    run_->memory.backward(0, last);
  }
  run_->memory.forward();
}

void TrainingWorker::run_bucket() {
  occupy(Part::backward, times().bucket[buckets_run_] * slowdown(), "backward");
  bucket_end_s_ = free_s_;
  if (member_ == 0) {
    const models::Bucket& bucket = layout().buckets[buckets_run_];
    run_->memory.backward(bucket.first_layer, bucket.last_layer);
    if (buckets_run_ == 0) run_->memory.begin_exchange();
  }
  ++buckets_run_;
}

Operation TrainingWorker::next_bucket() {
  const std::size_t buckets = layout().buckets.size(), wanted = bucket_++;
  const std::size_t needed = !run_->program.job.overlap || wanted >= buckets ? buckets : wanted + 1;
  while (buckets_run_ < needed) run_bucket();
  const double ready =
      wanted + 1 < buckets_run_ && run_->program.job.overlap ? now().value : std::max(now().value, bucket_end_s_);
  const std::int64_t item = wanted < buckets ? static_cast<std::int64_t>(wanted) : -1;
  return ending_at(ready, run_->core.new_operation({"backward", "", static_cast<int>(rank()), {}, nullptr, 0}), item);
}

Operation TrainingWorker::compute(const models::Kernel& kernel, models::Work work) {
  // Backward passes already under way come first; one that has not begun waits behind the kernel.
  while (buckets_run_ < layout().buckets.size() && free_s_ < now().value) run_bucket();
  idle_until(now().value);
  const Part part = kernel.kind == models::KernelKind::codec ? Part::codec
                    : kernel.kind == models::KernelKind::optimizer || kernel.kind == models::KernelKind::elementwise
                        ? Part::optimizer
                        : Part::other;
  occupy(part, run_->kernel_time(kernel, device_) * slowdown(), kernel.name);
  if (run_->plane && work) run_->plane->add(member_, std::move(work));
  return ending_at(free_s_,
                   run_->core.new_operation({"compute", kernel.name, static_cast<int>(rank()), {}, nullptr, 0}), 0);
}

Operation TrainingWorker::all_reduce(const models::CollectiveCall& call, std::span<float> numbers,
                                     models::Average average) {
  ++joined_;
  return run_->join(member_, call, average, {numbers, {}, {}});
}

Operation TrainingWorker::all_to_all(const models::CollectiveCall& call, std::span<const std::byte> outgoing,
                                     std::span<std::byte> incoming) {
  ++joined_;
  return run_->join(member_, call, models::Average::sum, {{}, outgoing, incoming});
}

Operation TrainingWorker::all_gather(const models::CollectiveCall& call, std::span<const std::byte> mine,
                                     std::span<std::byte> all_parts) {
  ++joined_;
  return run_->join(member_, call, models::Average::sum, {{}, mine, all_parts});
}

Operation TrainingWorker::wait(Seconds duration) {
  waited_s_ += duration.value;
  return run_->core.wait(duration, static_cast<int>(rank()));
}

void TrainingWorker::note(std::string_view name, double value) { run_->numbers.notes[std::string(name)] = value; }

Operation TrainingWorker::end_step(std::int64_t step) {
  models::ensure(step == step_, "the step that ends is the one that began");
  while (buckets_run_ < layout().buckets.size()) run_bucket();
  idle_until(now().value);
  waited_s_ = 0.0;
  run_->recorder.end_step(step, step_begin_s_, free_s_, !run_->communicating(joined_));
  step_begin_s_ = free_s_;
  if (member_ == 0) run_->memory.end_step();
  run_->ended(member_, step + 1, free_s_);
  const Operation ended = run_->core.new_operation({"end of step", "", static_cast<int>(rank()), {}, nullptr, 0});
  return ending_at(free_s_, ended, run_->stops_after(step + 1) ? 1 : 0);
}

}  // namespace sim
