#include "sim/engine/core.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/version.h>
#include <utility>

#include "models/base/error.hpp"

#if SIMGRID_VERSION < 33200 || SIMGRID_VERSION >= 33300
#error "core.cpp is written against the kernel headers of SimGrid 3.32"
#endif

namespace sim {

namespace {

constexpr std::int64_t events_between_checks = 4096;  // of the wall clock, Ctrl-C and progress
constexpr double progress_period_s = 0.1;

// Leaves SimGrid's loop, which would else go on while its own flows last. No actor exists, so no foreign stack is
// crossed.
struct Over {};

double wall_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::uint64_t packed(const models::Operation& operation) {
  return (std::uint64_t{operation.generation} << 32) | operation.index;
}

}  // namespace

class Core::Plugin final : public simgrid::kernel::resource::Model {
 public:
  explicit Plugin(Core* core) : Model("windtunnel"), core_(core) {}
  void detach() { core_ = nullptr; }
  double next_occurring_event(double clock) override { return core_ ? core_->distance_to_next(clock) : -1.0; }
  void update_actions_state(double clock, double distance) override {
    if (core_) core_->advance(clock, distance);
  }

 private:
  Core* core_;
};

Core::Core(simgrid::s4u::Engine& engine) : engine_(engine), plugin_(std::make_shared<Plugin>(this)) {
  engine_.add_model(plugin_);
}

Core::~Core() { plugin_->detach(); }

models::Operation Core::new_operation(const Description& description) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    models::ensure(slots_.size() < no_slot, "fewer than 2^32 operations are under way at once");
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.waiter = nullptr;
  slot.description = description;
  slot.since = now_;
  slot.item = 0;
  slot.parent = no_slot;
  slot.outstanding = 0;
  slot.state = State::pending;
  slot.kind = models::OutcomeKind::delivered;
  return {this, index, slot.generation};
}

void Core::release(std::uint32_t index) {
  Slot& slot = slots_[index];
  slot.state = State::free;
  ++slot.generation;
  free_.push_back(index);
}

void Core::finish(const models::Operation& operation, models::Outcome outcome) {
  Slot& slot = slots_[operation.index];
  models::ensure(slot.generation == operation.generation && slot.state == State::pending, "an operation ends once");
  const bool delivered = outcome.kind == models::OutcomeKind::delivered && outcome.item == 0;
  slot.state = State::ended;
  slot.kind = outcome.kind;
  slot.item = outcome.item;
  const std::uint32_t parent = slot.parent;
  if (slot.waiter) ready_.push_back(slot.waiter);
  if (delivered || parent != no_slot) release(operation.index);
  if (parent == no_slot) return;
  Slot& all = slots_[parent];
  if (all.kind == models::OutcomeKind::delivered && outcome.kind != models::OutcomeKind::delivered)
    all.kind = outcome.kind;
  if (--all.outstanding == 0) finish({this, parent, all.generation}, {all.kind, 0});
}

void Core::finish_at(const models::Operation& operation, models::Seconds time, std::int64_t item) {
  slots_[operation.index].item = item;
  call_at(time, *this, packed(operation));
}

void Core::due(std::uint64_t argument) {
  const std::uint32_t index = static_cast<std::uint32_t>(argument);
  finish({this, index, static_cast<std::uint32_t>(argument >> 32)},
         {models::OutcomeKind::delivered, slots_[index].item});
}

models::Operation Core::all_of(std::span<const models::Operation> operations) {
  const models::Operation all = new_operation();
  for (const models::Operation& operation : operations) {
    Slot& slot = slots_[operation.index];
    if (slot.generation != operation.generation) continue;
    if (slot.state == State::ended) {
      const models::OutcomeKind kind = outcome(operation).kind;
      if (slots_[all.index].kind == models::OutcomeKind::delivered) slots_[all.index].kind = kind;
      continue;
    }
    models::ensure(!slot.waiter && slot.parent == no_slot, "an operation is awaited once");
    slot.parent = all.index;
    ++slots_[all.index].outstanding;
  }
  if (slots_[all.index].outstanding == 0) finish(all, {slots_[all.index].kind, 0});
  return all;
}

models::Operation Core::wait(models::Seconds duration, int rank) {
  models::ensure(duration.value >= 0.0, "a wait is not negative");
  const models::Operation operation = new_operation({"wait", "", rank, {}, nullptr, 0});
  finish_at(operation, {now_ + duration.value});
  return operation;
}

void Core::call_at(models::Seconds time, EventSink& sink, std::uint64_t argument) {
  models::ensure(time.value >= now_, "an event lies in the future");
  heap_.push_back({time.value, sequence_++, &sink, argument});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void Core::add_source(EventSource& source) { sources_.push_back(&source); }

bool Core::finished(const models::Operation& operation) const {
  const Slot& slot = slots_[operation.index];
  return slot.generation != operation.generation || slot.state == State::ended;
}

models::Outcome Core::outcome(const models::Operation& operation) const {
  const Slot& slot = slots_[operation.index];
  if (slot.generation != operation.generation) return {};
  models::ensure(slot.state == State::ended, "only an ended operation has an outcome");
  const models::Outcome result{slot.kind, slot.item};
  const_cast<Core*>(this)->release(
      operation.index);  // reading is part of the operation's life, not of the core's state
  return result;
}

void Core::resume_when_finished(const models::Operation& operation, std::coroutine_handle<> waiter) {
  Slot& slot = slots_[operation.index];
  models::ensure(slot.generation == operation.generation && slot.state == State::pending,
                 "only a pending operation is awaited");
  models::ensure(!slot.waiter && slot.parent == no_slot, "an operation is awaited once");
  slot.waiter = waiter;
}

models::Task Core::watched(Core* core, models::Task body) {
  try {
    co_await body;
  } catch (...) {
    if (!core->failure_) core->failure_ = std::current_exception();
  }
  --core->alive_;
}

void Core::spawn(models::Task task) {
  roots_.push_back(watched(this, std::move(task)));
  roots_.back().start(*this);
  ++alive_;
  spawned_ = true;
}

void Core::drain() {
  for (std::size_t i = 0; i < ready_.size() && !over(); ++i) {
    const std::coroutine_handle<> ready = ready_[i];
    ready.resume();
    if ((i + 1) % events_between_checks == 0) check_limits();
  }
  ready_.clear();
}

double Core::next_time() const {
  double time = heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().time;
  for (const EventSource* source : sources_) time = std::min(time, source->next());
  return time;
}

double Core::distance_to_next(double clock) {
  if (!running_) return -1.0;
  if (over()) throw Over{};
  if (++loops_ % events_between_checks == 0) check_limits();
  if (over()) throw Over{};
  if (limits_->simulated && clock > limits_->simulated->value) {
    now_ = limits_->simulated->value;
    stop(RunOutcome::End::time_limit, "the simulated time limit was reached");
    throw Over{};
  }
  if (!ready_.empty()) {
    promised_time_ = now_;
  } else {
    for (EventSource* source : sources_) source->settle();
    promised_time_ = next_time();
    if (promised_time_ == std::numeric_limits<double>::infinity()) return promised_distance_ = -1.0;
  }
  return promised_distance_ = std::max(0.0, promised_time_ - clock);
}

// Times in the heap are absolute: SimGrid's clock follows them by differences, and its rounding never enters ours.
void Core::advance(double clock, double distance) {
  if (!running_) return;
  const double until = distance == promised_distance_ ? promised_time_ : clock;
  for (;;) {
    drain();
    if (over()) throw Over{};
    if (events_ - checked_at_ >= events_between_checks) {
      check_limits();
      continue;
    }
    if (!heap_.empty() && heap_.front().time <= now_) {
      const Event event = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      ++events_;
      event.sink->due(event.argument);
      continue;
    }
    for (EventSource* source : sources_) source->settle();
    const double time = next_time();
    if (time > until || time == std::numeric_limits<double>::infinity()) return;
    if (limits_->simulated && time > limits_->simulated->value) {
      now_ = limits_->simulated->value;
      stop(RunOutcome::End::time_limit, "the simulated time limit was reached");
      continue;
    }
    now_ = std::max(now_, time);
    if (!heap_.empty() && heap_.front().time <= now_) continue;
    for (EventSource* source : sources_) {
      if (source->next() > now_) continue;
      ++events_;
      source->advance();
      break;
    }
  }
}

void Core::check_limits() {
  checked_at_ = events_;
  if (limits_->interrupted != nullptr && limits_->interrupted->load(std::memory_order_relaxed))
    stop(RunOutcome::End::interrupted, "interrupted");
  if (!limits_->wall_s && !limits_->progress) return;
  const double wall = wall_s();
  if (limits_->wall_s && wall - wall_begin_ > *limits_->wall_s)
    stop(RunOutcome::End::time_limit, "the wall-clock limit was reached");
  if (limits_->progress && wall - wall_progress_ >= progress_period_s) {
    wall_progress_ = wall;
    limits_->progress(now(), events_);
  }
}

void Core::stop(RunOutcome::End end, std::string detail) {
  if (stopped_) return;
  stopped_ = true;
  outcome_.end = end;
  outcome_.detail = std::move(detail);
}

RunOutcome Core::run(const RunLimits& limits) {
  models::ensure(!running_ && outcome_.events == 0, "a core runs once");
  limits_ = &limits;
  wall_begin_ = wall_progress_ = wall_s();
  running_ = true;
  try {
    engine_.run();
  } catch (const Over&) {
  }
  running_ = false;
  limits_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
  if (!stopped_ && alive_ > 0) stop(RunOutcome::End::deadlocked, waiting_report());
  outcome_.time = now();
  outcome_.events = events_;
  return outcome_;
}

}  // namespace sim
