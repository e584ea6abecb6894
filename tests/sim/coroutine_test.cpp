// What GCC 12 and Clang 14 get wrong with coroutines when code is written carelessly (house style 8); worth running
// under AddressSanitizer.

#include <catch2/catch.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <string>
#include <vector>

#include "sim/engine/core.hpp"
#include "tests/support/bare_engine.hpp"

using models::Seconds;
using models::Task;

namespace {

struct Counted {
  explicit Counted(int& alive) : alive_(&alive) { ++*alive_; }
  Counted(const Counted& other) : alive_(other.alive_) { ++*alive_; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive_; }
  int* alive_;
};

Task leaf(std::int64_t& sum, std::int64_t term) {
  sum += term;
  co_return;
}

Task many_children(std::int64_t& sum, int count) {
  for (int i = 0; i < count; ++i) {
    Task child = leaf(sum, i);
    co_await child;
  }
}

Task deep(sim::Core& core, int depth, int& reached) {
  if (depth == 0) {
    co_await core.wait(Seconds{1.0});
    co_return;
  }
  ++reached;
  Task below = deep(core, depth - 1, reached);
  co_await below;
}

Task takes_value(sim::Core& core, Counted value, int& alive, int& seen) {
  co_await core.wait(Seconds{1.0});
  seen = alive;
  (void)value;
}

Task gives_temporary(sim::Core& core, int& alive, int& seen) {
  Task child = takes_value(core, Counted(alive), alive, seen);
  co_await child;
}

Task fails(sim::Core& core) {
  co_await core.wait(Seconds{1.0});
  throw std::string("child");
}

Task catches(sim::Core& core, std::string& caught) {
  Task child = fails(core);
  try {
    co_await child;
  } catch (const std::string& text) {
    caught = text;
  }
  co_await core.wait(Seconds{1.0});
}

Task never_ends(sim::Core& core, Counted value) {
  const models::Operation forever = core.new_operation({"receive", "", 0, {}, nullptr, 0});
  co_await forever;
  (void)value;
}

Task ping(sim::Core& core, int steps) {
  for (int i = 0; i < steps; ++i) co_await core.wait(Seconds{1e-3});
}

}  // namespace

TEST_CASE("two million awaits of children do not grow the stack", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  std::int64_t sum = 0;
  constexpr int count = 2000000;
  core.spawn(many_children(sum, count));
  core.run();
  REQUIRE(sum == std::int64_t{count} * (count - 1) / 2);
}

TEST_CASE("a hundred thousand nested tasks unwind without recursion of resumes", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  int reached = 0;
  // Frames are destroyed from the inside out, each when its parent's await has ended.
  core.spawn(deep(core, 100000, reached));
  REQUIRE(core.run().time.value == 1.0);
  REQUIRE(reached == 100000);
}

TEST_CASE("a value given to a coroutine lives once and dies once", "[engine]") {
  int alive = 0, seen = 0;
  {
    auto engine = support::bare_engine();
    sim::Core core(*engine);
    core.spawn(gives_temporary(core, alive, seen));
    core.run();
    REQUIRE(seen == 1);
  }
  REQUIRE(alive == 0);
}

TEST_CASE("a child's exception reaches its parent, which goes on", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  std::string caught;
  core.spawn(catches(core, caught));
  REQUIRE(core.run().time.value == 2.0);
  REQUIRE(caught == "child");
}

TEST_CASE("tasks that wait for ever are destroyed with the core", "[engine]") {
  int alive = 0;
  {
    auto engine = support::bare_engine();
    sim::Core core(*engine);
    core.spawn(never_ends(core, Counted(alive)));
    REQUIRE(core.run().end == sim::RunOutcome::End::deadlocked);
    REQUIRE(alive == 1);
  }
  REQUIRE(alive == 0);
}

TEST_CASE("sixty-five thousand ranks run side by side", "[engine]") {
  auto engine = support::bare_engine();
  sim::Core core(*engine);
  constexpr int ranks = 65536;
  for (int i = 0; i < ranks; ++i) core.spawn(ping(core, 4));
  const sim::RunOutcome outcome = core.run();
  REQUIRE(outcome.end == sim::RunOutcome::End::completed);
  REQUIRE(outcome.events == std::int64_t{ranks} * 4);
}
