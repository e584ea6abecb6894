#include "sim/engine/communicator.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/networks.hpp"

using models::CollectiveKind;
using models::Seconds;
using models::Task;
using sim::Communicator;
using support::Backend;

namespace {

constexpr double bandwidth = 1e9, latency = 1e-6;

models::CollectiveCall named(const char* name, double bytes) {
  models::CollectiveCall call = support::call(CollectiveKind::all_reduce, "ring", bytes);
  call.name = name;
  return call;
}

Task member(sim::Core& core, Communicator& communicator, int m, double start, std::vector<models::CollectiveCall> calls,
            std::vector<double>* ends) {
  co_await core.wait(Seconds{start});
  std::vector<models::Operation> under_way;
  for (const models::CollectiveCall& call : calls) under_way.push_back(communicator.join(m, call).operation);
  for (const models::Operation& operation : under_way) {
    co_await operation;
    ends->push_back(core.now().value);
  }
}

}  // namespace

TEST_CASE("a collective starts with its last member, the next one after it", "[communicator]") {
  const auto world = support::star(2, support::cable(bandwidth, latency));
  support::Setup setup(world, Backend::fluid, sim::Expansion::automatic);
  std::vector<std::string> log;
  Communicator communicator(setup.core, setup.player, support::everyone(world),
                            [&](const Communicator::Completion& done) {
                              log.push_back(std::to_string(done.sequence) + done.call.name);
                              REQUIRE(done.last_joined.value == 2.0);
                            });
  std::vector<double> first, second;
  const std::vector<models::CollectiveCall> calls{named("a", 1e9), named("b", 2e9)};
  setup.core.spawn(member(setup.core, communicator, 0, 1.0, calls, &first));
  setup.core.spawn(member(setup.core, communicator, 1, 2.0, calls, &second));
  REQUIRE(setup.core.run().end == sim::RunOutcome::End::completed);
  REQUIRE(log == std::vector<std::string>{"0a", "1b"});
  REQUIRE(first == second);
  // 2 rounds of half the bytes each.
  REQUIRE(first[0] == Approx(2.0 + 2 * (2 * latency + 0.5)).epsilon(1e-12));
  REQUIRE(first[1] == Approx(2.0 + 4 * 2 * latency + 3.0).epsilon(1e-12));
}

TEST_CASE("a member that never comes is named in the deadlock report", "[communicator]") {
  const auto world = support::star(3, support::cable(bandwidth, latency));
  support::Setup setup(world, Backend::fluid, sim::Expansion::automatic);
  Communicator communicator(setup.core, setup.player, support::everyone(world), {});
  std::vector<double> ends;
  setup.core.spawn(member(setup.core, communicator, 0, 1.0, {named("gradient", 26214400.0)}, &ends));
  setup.core.spawn(member(setup.core, communicator, 1, 1.5, {named("gradient", 26214400.0)}, &ends));
  const sim::RunOutcome outcome = setup.core.run();
  REQUIRE(outcome.end == sim::RunOutcome::End::deadlocked);
  REQUIRE(outcome.detail.find(
              "rank 0 waits since 1 s in all_reduce 'gradient' (26.2 MB): 2 of 3 members arrived, missing: 2") !=
          std::string::npos);
  REQUIRE(ends.empty());
}

TEST_CASE("different orders of calls end the run with both lists", "[communicator]") {
  const auto world = support::star(2, support::cable(bandwidth, latency));
  support::Setup setup(world, Backend::fluid, sim::Expansion::automatic);
  Communicator communicator(setup.core, setup.player, support::everyone(world), {});
  std::vector<double> ends;
  setup.core.spawn(member(setup.core, communicator, 0, 1.0, {named("a", 1e9), named("b", 1e9)}, &ends));
  setup.core.spawn(member(setup.core, communicator, 1, 2.0, {named("a", 1e9), named("c", 1e9)}, &ends));
  const sim::RunOutcome outcome = setup.core.run();
  REQUIRE(outcome.end == sim::RunOutcome::End::deadlocked);
  REQUIRE(outcome.detail ==
          "ranks call collectives in different orders; from call 0 on\n"
          "  rank 0: all_reduce 'a' (1 GB), all_reduce 'b' (1 GB)\n"
          "  rank 1: all_reduce 'a' (1 GB), all_reduce 'c' (1 GB)");
}

TEST_CASE("a group of one and a collective of nothing take no time", "[communicator]") {
  const auto world = support::star(2, support::cable(bandwidth, latency));
  support::Setup setup(world, Backend::fluid, sim::Expansion::automatic);
  models::Group alone;
  alone.ranks = {models::Rank{1}};
  alone.node = {1};
  Communicator communicator(setup.core, setup.player, alone, {});
  models::CollectiveCall nothing = named("nothing", 1.0);
  nothing.elements = 0;
  std::vector<double> ends;
  setup.core.spawn(member(setup.core, communicator, 0, 1.0, {named("a", 1e9), nothing}, &ends));
  REQUIRE(setup.core.run().end == sim::RunOutcome::End::completed);
  REQUIRE(ends == std::vector<double>{1.0, 1.0});
}
