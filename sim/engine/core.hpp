#pragma once
// Core: operations, one event heap, coroutine tasks. A SimGrid model plug-in, so everything in a simulation shares
// SimGrid's clock.

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/algorithm/worker.hpp"

namespace simgrid::s4u {
class Engine;
}

namespace sim {

// Receives events; `argument` is whatever was given with the event.
class EventSink {
 public:
  virtual void due(std::uint64_t argument) = 0;

 protected:
  ~EventSink() = default;
};

// A part with a clockwork of its own (a network): asked for its next time after every instant, so it has no stale
// events.
class EventSource {
 public:
  virtual void settle() = 0;        // everything that starts at this instant has started
  virtual double next() const = 0;  // absolute seconds; infinity: nothing to come
  virtual void advance() = 0;       // the clock shows next()

 protected:
  ~EventSource() = default;
};

// Adds to the deadlock report what only it knows: "7 of 8 members arrived, missing: 5".
class Witness {
 public:
  virtual std::string detail(std::uint64_t argument) const = 0;

 protected:
  ~Witness() = default;
};

// What an operation is, for the deadlock report: kind and name have static storage.
struct Description {
  const char* kind = "";  // "all_reduce", "compute"; "": not worth a line
  const char* name = "";  // "gradient"
  int rank = 0;
  models::Bytes bytes{};
  const Witness* witness = nullptr;
  std::uint64_t argument = 0;
};

struct RunLimits {
  std::optional<models::Seconds> simulated;
  std::optional<double> wall_s;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(models::Seconds now, std::int64_t events)> progress;  // about ten times a second of wall clock
};
struct RunOutcome {
  enum class End { completed, deadlocked, time_limit, interrupted, stopped } end = End::completed;
  models::Seconds time{};
  std::int64_t events = 0;
  std::string detail;  // deadlocked: who waits for what; time_limit: which; stopped: the reason
};

class Core final : public models::Operations, public models::Resumer, private EventSink {
 public:
  explicit Core(simgrid::s4u::Engine& engine);
  ~Core() override;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  models::Seconds now() const { return {now_}; }
  std::int64_t events() const { return events_; }

  // A started operation; finish() and finish_at() end it once. One that nobody awaits needs no care.
  models::Operation new_operation(const Description& description = {});
  void finish(const models::Operation& operation, models::Outcome outcome = {});
  void finish_at(const models::Operation& operation, models::Seconds time,
                 std::int64_t item = 0);  // delivered; time >= now
  // Ends when the last of `operations` ends; its outcome is the first that was not delivered.
  models::Operation all_of(std::span<const models::Operation> operations);
  models::Operation wait(models::Seconds duration, int rank = 0);

  // sink.due(argument) at `time` >= now, in (time, call order).
  void call_at(models::Seconds time, EventSink& sink, std::uint64_t argument = 0);
  void add_source(EventSource& source);

  // A root task; started in spawn order when run() begins, or at once inside the run.
  void spawn(models::Task task);
  std::size_t tasks_alive() const { return alive_; }

  // Until every root task has ended, or without any: until nothing is left to happen. Once. Rethrows what a root task
  // threw.
  RunOutcome run(const RunLimits& limits = {});
  // Ends the run after the present event.
  void stop(std::string reason) { stop(RunOutcome::End::stopped, std::move(reason)); }
  void stop_deadlocked(std::string detail) { stop(RunOutcome::End::deadlocked, std::move(detail)); }

  // models::Operations, models::Resumer
  bool finished(const models::Operation& operation) const override;
  models::Outcome outcome(const models::Operation& operation) const override;
  void resume_when_finished(const models::Operation& operation, std::coroutine_handle<> waiter) override;
  void resume_later(std::coroutine_handle<> ready) override { ready_.push_back(ready); }

  // For the plug-in: distance from SimGrid's clock to the next event (or -1), and everything up to it.
  double distance_to_next(double clock);
  void advance(double clock, double distance);

 private:
  struct Event {
    double time;
    std::uint64_t sequence;
    EventSink* sink;
    std::uint64_t argument;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };
  // A slot is free as soon as its operation has ended as delivered: a stale generation means just that.
  enum class State : std::uint8_t { free, pending, ended };
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();
  struct Slot {
    std::coroutine_handle<> waiter;
    Description description;
    double since = 0.0;
    std::int64_t item = 0;
    std::uint32_t generation = 0;
    std::uint32_t parent = 0;       // slot of the all_of() that waits for this one, or no_slot
    std::uint32_t outstanding = 0;  // all_of: how many have not ended
    State state = State::free;
    models::OutcomeKind kind = models::OutcomeKind::delivered;
  };

  void due(std::uint64_t argument) override;
  void stop(RunOutcome::End end, std::string detail);
  void drain();
  void release(std::uint32_t index);
  double next_time() const;
  bool over() const { return stopped_ || failure_ || (spawned_ && alive_ == 0); }
  void check_limits();
  std::string waiting_report() const;
  static models::Task watched(Core* core, models::Task body);

  double now_ = 0.0;
  double promised_time_ = 0.0, promised_distance_ = -1.0;
  std::uint64_t sequence_ = 0;
  std::int64_t events_ = 0, checked_at_ = 0, loops_ = 0;
  std::vector<Event> heap_;
  std::vector<EventSource*> sources_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::coroutine_handle<>> ready_;
  std::vector<models::Task> roots_;
  std::size_t alive_ = 0;
  bool spawned_ = false, stopped_ = false, running_ = false;
  std::exception_ptr failure_;
  RunOutcome outcome_;
  const RunLimits* limits_ = nullptr;
  double wall_begin_ = 0.0, wall_progress_ = 0.0;
  simgrid::s4u::Engine& engine_;
  class Plugin;
  std::shared_ptr<Plugin> plugin_;
};

}  // namespace sim
