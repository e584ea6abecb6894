#pragma once
// Worker: all that a training algorithm may do on one rank. Starting and waiting are separate:
//   auto sent = self.send(...); ...; co_await sent;
// The engine implements it in simulated time, the trajectory runner without a clock; timing-only runs pass empty spans
// everywhere.

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "models/algorithm/task.hpp"
#include "models/architecture/layout.hpp"
#include "models/base/random.hpp"
#include "models/base/units.hpp"
#include "models/collective/collective.hpp"
#include "models/device/cost_model.hpp"

namespace models {

enum class OutcomeKind { delivered, lost, peer_down };
struct Outcome {
  OutcomeKind kind = OutcomeKind::delivered;
  std::int64_t item = 0;  // next_bucket: the bucket's index, or -1 after the last
};

struct Operation;
// The table of operations, as an awaiting coroutine sees it.
class Operations {
 public:
  virtual ~Operations() = default;
  virtual bool finished(const Operation& operation) const = 0;
  virtual Outcome outcome(const Operation& operation) const = 0;
  virtual void resume_when_finished(const Operation& operation, std::coroutine_handle<> waiter) = 0;
};
// An index and a generation; awaiting a finished operation does not suspend. An operation may be awaited once, or be
// given to all().
struct Operation {
  Operations* table = nullptr;
  std::uint32_t index = 0, generation = 0;
  bool await_ready() const { return table->finished(*this); }
  void await_suspend(std::coroutine_handle<> waiter) const { table->resume_when_finished(*this, waiter); }
  Outcome await_resume() const { return table->outcome(*this); }
};
static_assert(std::is_trivially_destructible_v<Operation>);

// Numeric work of an operation: runs on the pool, inputs frozen at the operation's start, results visible at its end.
// Touches its worker's buffers only.
using Work = std::function<void()>;

// A collective over the worker's whole group. Wire size = elements x element_size, at the size of the full model.
struct CollectiveCall {
  const char* name = "";  // static storage: "gradient", "compressed momentum"
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::int64_t elements = 0;  // see Demand
  Bytes element_size{};
  int root = 0;
  const char* algorithm = "auto";                   // a row of collectives()
  const CollectiveAlgorithm* made = nullptr;        // that row's, with keys other than the defaults; outlives the run
  std::span<const PairDemand> pairs{};              // see Demand: their proportions; outlive the run
};
static_assert(std::is_trivially_destructible_v<CollectiveCall>);

enum class Average { sum, mean };

class Worker {
 public:
  virtual ~Worker() = default;

  // Who and where.
  virtual Rank rank() const = 0;
  virtual int member() const = 0;  // index in group()
  virtual const Group& group() const = 0;
  virtual const Layout& layout() const = 0;
  virtual std::int64_t steps() const = 0;
  virtual Seconds now() const = 0;
  virtual Stream stream(Purpose purpose, std::int64_t step, std::int64_t item = 0) const = 0;
  virtual Precision precision() const = 0;  // of gradients on the wire

  // The numeric plane: this worker's model and gradient, layout().numeric_parameters each; empty in timing-only runs.
  virtual std::span<float> weights() = 0;
  virtual std::span<float> gradient() = 0;
  bool learning() { return !weights().empty(); }

  // One training step. begin_step starts all micro-batches at the present weights (compute stream). Backward of the
  // last micro-batch fills buckets in backward order: next_bucket ends when the next bucket's gradient (mean over this
  // worker's samples) is ready; item = its index, -1 after the last. end_step closes the step: records times, evaluates
  // the loss. Its outcome's item is 1 when the run should stop (diverged, stopped early), else 0.
  virtual void begin_step(std::int64_t step) = 0;
  virtual Operation next_bucket() = 0;
  virtual Operation end_step(std::int64_t step) = 0;

  // Steps alike: from the next begin_step up to step `until` (exclusive) every step computes and sends the same. `name`
  // (static storage) is what the result calls them: "warm-up", "compression". A run without numbers whose steps have
  // become equal jumps to the end of the phase: loop with
  //   for (std::int64_t step = 0; step < self.steps(); step = self.next_step(step))
  virtual void phase(const char* /*name*/, std::int64_t /*until*/) {}
  virtual std::int64_t next_step(std::int64_t step) { return step + 1; }

  // Compute stream, FIFO.
  virtual Operation compute(const Kernel& kernel, Work work = {}) = 0;

  // Communication stream of the group, FIFO; starts when its last member reaches it. Spans stay untouched by the caller
  // until the end. all_reduce: element-wise in rank order, in place. all_to_all: outgoing is group-size equal parts,
  // part j to member j; incoming likewise by source. all_gather: `mine` of every member, in member order. Empty spans:
  // timing only.
  virtual Operation all_reduce(const CollectiveCall& call, std::span<float> numbers, Average average) = 0;
  virtual Operation all_to_all(const CollectiveCall& call, std::span<const std::byte> outgoing,
                               std::span<std::byte> incoming) = 0;
  virtual Operation all_gather(const CollectiveCall& call, std::span<const std::byte> mine,
                               std::span<std::byte> all) = 0;

  // Combinators: all() ends when the last of `operations` ends.
  virtual Operation all(std::span<const Operation> operations) = 0;
  virtual Operation wait(Seconds duration) = 0;

  // Facts for the result: "freeze_step" = 300; the last value a name was given wins.
  virtual void note(std::string_view name, double value) = 0;
};

}  // namespace models
