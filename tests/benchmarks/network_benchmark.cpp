// Goals on a quiet 2-core machine (design section 8): ring and all-to-all of 512 ranks < 1 s each as flows; a collapsed
// ring over 65,536 ranks well under 50 ms the first time; an event of the core <= 0.3 us. Each simulation runs in a
// child; its CPU time is what counts.

#include <benchmark/benchmark.h>

#include <ctime>
#include <vector>

#include "sim/engine/communicator.hpp"
#include "tests/support/networks.hpp"

namespace {

using models::CollectiveKind;

// Of this process's CPU: other processes do not count.
double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Repeated final : sim::EventSink, sim::PlayObserver {
  support::Setup& setup;
  int group, left;
  models::CollectiveCall call;
  std::vector<double> spent;
  double begin = 0.0;
  Repeated(support::Setup& in, int of, int times, const models::CollectiveCall& what)
      : setup(in), group(of), left(times), call(what) {
    setup.core.call_at({0.0}, *this);
  }
  void due(std::uint64_t) override {
    begin = cpu_s();
    setup.player.play(group, call, *this, 0);
  }
  void played(std::uint64_t, const sim::Played&) override {
    spent.push_back(cpu_s() - begin);
    if (--left > 0) setup.core.call_at(setup.core.now(), *this);
  }
};

// Seconds of the first play, the mean of the others, and the transfers.
std::vector<double> play(int ranks, const char* algorithm, CollectiveKind kind, sim::Expansion expansion, int times) {
  const topologies::World world = support::star(ranks, support::cable(50e9, 2e-6));
  return support::numbers_in_child([&] {
    support::Setup setup(world, support::Backend::fluid, expansion);
    Repeated repeated(setup, setup.player.add_group(support::everyone(world)), times,
                      support::call(kind, algorithm, 1e9));
    setup.core.run();
    double rest = 0.0;
    for (std::size_t i = 1; i < repeated.spent.size(); ++i) rest += repeated.spent[i];
    return std::vector<double>{repeated.spent.front(), times > 1 ? rest / (times - 1) : 0.0,
                               static_cast<double>(setup.player.transfers_started())};
  });
}

void report(benchmark::State& state, const std::vector<double>& numbers, int times) {
  state.SetIterationTime(numbers[0] + numbers[1] * (times - 1));
  state.counters["first_ms"] = numbers[0] * 1e3;
  state.counters["next_us"] = numbers[1] * 1e6;
  state.counters["transfers"] = numbers[2];
}

void ring_as_flows(benchmark::State& state) {
  for (auto _ : state)
    report(state,
           play(static_cast<int>(state.range(0)), "ring", CollectiveKind::all_reduce, sim::Expansion::expanded, 1), 1);
}
BENCHMARK(ring_as_flows)->Arg(512)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void all_to_all_as_flows(benchmark::State& state) {
  for (auto _ : state)
    report(state,
           play(static_cast<int>(state.range(0)), "direct", CollectiveKind::all_to_all, sim::Expansion::expanded, 1),
           1);
}
BENCHMARK(all_to_all_as_flows)->Arg(512)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

// Sizes differ by up to half, so that no two transfers end together: every end is a new max-min solution.
void irregular_all_to_all(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  const topologies::World world = support::star(ranks, support::cable(50e9, 2e-6));
  models::Stream stream(3, models::Purpose::routing, 0, 0);
  std::vector<models::PairDemand> pairs;
  std::int64_t elements = 0;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      if (from == to) continue;
      pairs.push_back({from, to, 1'000'000 + static_cast<std::int64_t>(stream.index(500'000))});
      elements += pairs.back().elements;
    }
  for (auto _ : state) {
    const std::vector<double> numbers = support::numbers_in_child([&] {
      models::CollectiveCall call = support::call(CollectiveKind::all_to_all, "direct", static_cast<double>(elements));
      call.pairs = pairs;
      const double begin = cpu_s();
      support::Setup setup(world, support::Backend::fluid, sim::Expansion::automatic);
      support::Plays plays(setup, setup.player.add_group(support::everyone(world)), {{0.0, call}});
      setup.core.run();
      return std::vector<double>{cpu_s() - begin, static_cast<double>(setup.core.events()),
                                 static_cast<double>(setup.player.transfers_started())};
    });
    state.SetIterationTime(numbers[0]);
    state.counters["events"] = numbers[1];
    state.counters["transfers"] = numbers[2];
    state.counters["events_per_s"] = numbers[1] / numbers[0];
  }
}
BENCHMARK(irregular_all_to_all)->Arg(64)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

// Growth of the cost with the ranks: flows of a ring grow with their square, those of a collapsed one cost nothing.
void growth_of_a_ring(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  const auto expansion = state.range(1) != 0 ? sim::Expansion::expanded : sim::Expansion::automatic;
  for (auto _ : state) {
    const topologies::World world = support::star(ranks, support::cable(50e9, 2e-6));
    const std::vector<double> numbers = support::numbers_in_child([&] {
      const double begin = cpu_s();
      support::Setup setup(world, support::Backend::fluid, expansion);
      support::Plays plays(setup, setup.player.add_group(support::everyone(world)),
                           {{0.0, support::call(CollectiveKind::all_reduce, "ring", 1e9)}});
      setup.core.run();
      return std::vector<double>{cpu_s() - begin, static_cast<double>(setup.core.events()),
                                 static_cast<double>(setup.player.transfers_started())};
    });
    state.SetIterationTime(numbers[0]);
    state.counters["events"] = numbers[1];
    state.counters["transfers"] = numbers[2];
    state.counters["us_per_rank"] = numbers[0] / ranks * 1e6;
  }
}
BENCHMARK(growth_of_a_ring)
    ->ArgsProduct({{64, 128, 256, 512}, {1}})
    ->ArgsProduct({{512, 4096, 32768}, {0}})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void ring_collapsed(benchmark::State& state) {
  constexpr int buckets = 26;
  for (auto _ : state)
    report(
        state,
        play(static_cast<int>(state.range(0)), "ring", CollectiveKind::all_reduce, sim::Expansion::automatic, buckets),
        buckets);
}
BENCHMARK(ring_collapsed)->Arg(4096)->Arg(65536)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

models::Task buckets(sim::Core& core, sim::Communicator& communicator, int member, int count) {
  std::vector<models::Operation> under_way;
  models::CollectiveCall call = support::call(CollectiveKind::all_reduce, "ring", 25e6);
  for (int i = 0; i < count; ++i) {
    co_await core.wait(models::Seconds{1e-4});
    under_way.push_back(communicator.join(member, call).operation);
  }
  co_await core.all_of(under_way);
}

// Every rank computes 26 buckets and joins 26 collapsed all-reduces.
void ranks_with_buckets(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  for (auto _ : state) {
    const topologies::World world = support::star(ranks, support::cable(50e9, 2e-6));
    const std::vector<double> numbers = support::numbers_in_child([&] {
      const double begin = cpu_s();
      support::Setup setup(world, support::Backend::fluid, sim::Expansion::automatic);
      sim::Communicator communicator(setup.core, setup.player, support::everyone(world), {});
      for (int m = 0; m < ranks; ++m) setup.core.spawn(buckets(setup.core, communicator, m, 26));
      setup.core.run();
      return std::vector<double>{cpu_s() - begin, static_cast<double>(setup.core.events())};
    });
    state.SetIterationTime(numbers[0]);
    state.counters["events"] = numbers[1];
    state.counters["ns_per_event"] = numbers[0] / numbers[1] * 1e9;
  }
}
BENCHMARK(ranks_with_buckets)->Arg(4096)->Arg(65536)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

models::Task delays(sim::Core& core, double seconds, int count) {
  for (int i = 0; i < count; ++i) co_await core.wait(models::Seconds{seconds});
}

void core_events(benchmark::State& state) {
  constexpr int steps = 200;
  const int ranks = static_cast<int>(state.range(0));
  for (auto _ : state) {
    const topologies::World world = support::star(1, support::cable(1e9, 1e-6));
    const std::vector<double> numbers = support::numbers_in_child([&] {
      support::Setup setup(world, support::Backend::fluid);
      for (int m = 0; m < ranks; ++m) setup.core.spawn(delays(setup.core, 1e-3 * (1.0 + 1e-4 * m), steps));
      const double begin = cpu_s();
      setup.core.run();
      return std::vector<double>{cpu_s() - begin, static_cast<double>(setup.core.events())};
    });
    state.SetIterationTime(numbers[0]);
    state.counters["ns_per_event"] = numbers[0] / numbers[1] * 1e9;
  }
}
BENCHMARK(core_events)->Arg(64)->Arg(4096)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
