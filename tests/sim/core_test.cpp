#include "sim/engine/core.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <simgrid/s4u/Engine.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "tests/support/bare_engine.hpp"

using models::Operation;
using models::Seconds;
using models::Task;
using sim::RunOutcome;

namespace {

struct Log final : sim::EventSink {
  sim::Core* core = nullptr;
  std::vector<std::pair<double, std::uint64_t>> seen;
  void due(std::uint64_t argument) override { seen.emplace_back(core->now().value, argument); }
};

Task waits(sim::Core& core, double seconds, int times) {
  for (int i = 0; i < times; ++i) co_await core.wait(Seconds{seconds});
}

Task waits_for(Operation operation, models::Outcome* seen) { *seen = co_await operation; }

Task throws_after(sim::Core& core, double seconds) {
  co_await core.wait(Seconds{seconds});
  throw std::runtime_error("from a worker");
}

}  // namespace

TEST_CASE("events come in order of time, then of their making", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  Log log;
  log.core = &core;
  core.call_at(Seconds{2.0}, log, 1);
  core.call_at(Seconds{1.0}, log, 2);
  core.call_at(Seconds{1.0}, log, 3);
  core.call_at(Seconds{0.0}, log, 4);
  const RunOutcome outcome = core.run();
  REQUIRE(log.seen == std::vector<std::pair<double, std::uint64_t>>{{0.0, 4}, {1.0, 2}, {1.0, 3}, {2.0, 1}});
  REQUIRE(outcome.end == RunOutcome::End::completed);
  REQUIRE(outcome.time.value == 2.0);
  REQUIRE(outcome.events == 4);
}

TEST_CASE("times of events are exact, whatever SimGrid's clock rounds", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  Log log;
  log.core = &core;
  std::vector<double> times;
  double time = 0.1;
  for (int i = 0; i < 2000; ++i) times.push_back(time += 1e-3 / 3.0 + 1e-13 * i);
  for (std::size_t i = 0; i < times.size(); ++i) core.call_at(Seconds{times[i]}, log, i);
  core.run();
  REQUIRE(log.seen.size() == times.size());
  for (std::size_t i = 0; i < times.size(); ++i) REQUIRE(log.seen[i].first == times[i]);
}

TEST_CASE("the run ends with its last task, not with the last event", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  Log log;
  log.core = &core;
  core.call_at(Seconds{100.0}, log);
  core.spawn(waits(core, 0.5, 4));
  core.spawn(waits(core, 0.25, 4));
  const RunOutcome outcome = core.run();
  REQUIRE(outcome.end == RunOutcome::End::completed);
  REQUIRE(outcome.time.value == 2.0);
  REQUIRE(log.seen.empty());
}

TEST_CASE("all_of ends with the last of its operations and tells of a loss", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  const Operation ended = core.new_operation();
  core.finish(ended);
  const Operation lost = core.new_operation();
  core.finish(lost, {models::OutcomeKind::lost, 0});
  const std::vector<Operation> first{ended, core.wait(Seconds{1.0}), core.wait(Seconds{3.0})};
  const Operation inner = core.all_of(first);
  const std::vector<Operation> second{inner, lost};
  models::Outcome outcome;
  core.spawn(waits_for(core.all_of(second), &outcome));
  REQUIRE(core.run().time.value == 3.0);
  REQUIRE(outcome.kind == models::OutcomeKind::lost);
}

TEST_CASE("an operation's item reaches the one who awaits it late", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  const Operation bucket = core.new_operation();
  core.finish(bucket, {models::OutcomeKind::delivered, 7});
  models::Outcome outcome;
  core.spawn(waits_for(bucket, &outcome));
  core.run();
  REQUIRE(outcome.item == 7);
}

TEST_CASE("an operation that ends twice is our bug", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  const Operation operation = core.new_operation();
  core.finish(operation);
  REQUIRE_THROWS_AS(core.finish(operation), models::Bug);
}

TEST_CASE("a deadlock says who waits for what, since when, for which bytes", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  struct Absent final : sim::Witness {
    std::string detail(std::uint64_t missing) const override { return "missing: " + std::to_string(missing); }
  } absent;
  models::Outcome outcome;
  core.spawn(waits(core, 0.5, 1));
  core.spawn(
      waits_for(core.new_operation({"all_reduce", "gradient", 3, models::Bytes{26214400.0}, &absent, 5}), &outcome));
  const RunOutcome end = core.run();
  REQUIRE(end.end == RunOutcome::End::deadlocked);
  REQUIRE(end.time.value == 0.5);
  REQUIRE(end.detail.find("rank 3 waits since") != std::string::npos);
  REQUIRE(end.detail.find("in all_reduce 'gradient' (") != std::string::npos);
  REQUIRE(end.detail.find("): missing: 5") != std::string::npos);
}

TEST_CASE("what a root task throws ends the run and is thrown by it", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  core.spawn(waits(core, 1.0, 10));
  core.spawn(throws_after(core, 1.5));
  REQUIRE_THROWS_WITH(core.run(), "from a worker");
  REQUIRE(core.now().value == 1.5);
}

TEST_CASE("the limit of simulated time ends the run at that time", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  core.spawn(waits(core, 0.3, 1000));
  sim::RunLimits limits;
  limits.simulated = Seconds{1.0};
  const RunOutcome outcome = core.run(limits);
  REQUIRE(outcome.end == RunOutcome::End::time_limit);
  REQUIRE(outcome.time.value == 1.0);
}

TEST_CASE("an interruption ends a run within some thousand events", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  core.spawn(waits(core, 1e-6, 1000000000));
  std::atomic<bool> interrupted{true};
  sim::RunLimits limits;
  limits.interrupted = &interrupted;
  const RunOutcome outcome = core.run(limits);
  REQUIRE(outcome.end == RunOutcome::End::interrupted);
  REQUIRE(outcome.events < 10000);
}

TEST_CASE("the limit of wall-clock time ends an endless run", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  core.spawn(waits(core, 1e-6, 1000000000));
  sim::RunLimits limits;
  limits.wall_s = 0.05;
  const RunOutcome outcome = core.run(limits);
  REQUIRE(outcome.end == RunOutcome::End::time_limit);
  REQUIRE(outcome.detail.find("wall-clock") != std::string::npos);
}

TEST_CASE("stop ends the run after the present event", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  struct Stopper final : sim::EventSink {
    sim::Core* core = nullptr;
    void due(std::uint64_t) override { core->stop("diverged"); }
  } stopper;
  stopper.core = &core;
  core.spawn(waits(core, 0.4, 100));
  core.call_at(Seconds{1.0}, stopper);
  const RunOutcome outcome = core.run();
  REQUIRE(outcome.end == RunOutcome::End::stopped);
  REQUIRE(outcome.detail == "diverged");
  REQUIRE(outcome.time.value == 1.0);
}
