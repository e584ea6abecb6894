// Kernels against a copy of the bytes that one pass must read and write, in the same run: the counter `of_copy` is copy
// time / kernel time.

#include <benchmark/benchmark.h>

#include <time.h>

#include <cstring>
#include <functional>
#include <vector>

#include "models/base/block_sum.hpp"
#include "models/base/random.hpp"
#include "models/compression/scale.hpp"
#include "models/kernel/descent.hpp"
#include "models/kernel/signs.hpp"

namespace {

std::vector<float> gaussian(std::size_t count, std::uint32_t owner) {
  std::vector<float> values(count);
  models::Stream(1, models::Purpose::problem, owner, 0).fill_normal(values);
  return values;
}

// Processor time of this thread: other work on the machine does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const std::function<void()>& body) {
  const double start = thread_seconds();
  body();
  return thread_seconds() - start;
}

// Alternates the kernel with a memcpy that reads and writes `bytes_per_element` together.
void against_copy(benchmark::State& state, double bytes_per_element, const std::function<void()>& kernel) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const auto half = static_cast<std::size_t>(bytes_per_element * static_cast<double>(count) / 2.0);
  std::vector<char> from(half, 1), to(half);
  double copying = 0.0, working = 0.0;
  for (auto _ : state) {
    copying += seconds_of([&] {
      std::memcpy(to.data(), from.data(), half);
      benchmark::DoNotOptimize(to.data());
      benchmark::ClobberMemory();
    });
    const double time = seconds_of(kernel);
    working += time;
    state.SetIterationTime(time);
  }
  const double elements = static_cast<double>(count) * static_cast<double>(state.iterations());
  state.counters["ns_per_element"] = 1e9 * working / elements;
  state.counters["of_copy"] = copying / working;
}

void normal(benchmark::State& state) {
  std::vector<float> out(static_cast<std::size_t>(state.range(0)));
  against_copy(state, 4.0, [&] { models::Stream(1, models::Purpose::data_noise, 0, 0).fill_normal(out); });
}

void noisy_quadratic(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const std::vector<float> x = gaussian(count, 0), b = gaussian(count, 1), h(count, 0.5f);
  std::vector<float> out(count);
  against_copy(state, 16.0, [&] {
    models::Stream(1, models::Purpose::data_noise, 0, 0).fill_normal(out);
    models::quadratic_gradient_curved_noise(x, b, h, 0.1f, out);
  });
}

void adam(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<float> x = gaussian(count, 0), m(count), v(count, 1.0f);
  const std::vector<float> g = gaussian(count, 1);
  models::AdamStep step;
  step.learning_rate = 1e-3f;
  against_copy(state, 28.0, [&] { models::adam_step(x, m, v, g, step); });
}

// What one worker does to its vector: u = m + e, the scale, signs and residual.
void one_bit_with_residual(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<float> residual(count);
  const std::vector<float> momentum = gaussian(count, 0);
  std::vector<std::byte> bits((count + 7) / 8);
  against_copy(state, 12.125, [&] {
    models::add_to(residual, momentum);
    const float scale = models::sign_scale(models::SignScale::l2, residual, static_cast<std::int64_t>(count));
    models::pack_signs_keep_residual(residual, scale, bits);
  });
}

void unpack(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<float> out(count);
  const std::vector<std::byte> bits((count + 7) / 8, std::byte{0x5A});
  against_copy(state, 4.125, [&] { models::unpack_signs(bits, 0.5f, out); });
}

void sum_of_squares(benchmark::State& state) {
  const std::vector<float> x = gaussian(static_cast<std::size_t>(state.range(0)), 0);
  against_copy(state, 4.0, [&] { benchmark::DoNotOptimize(models::sum_of_squares(x)); });
}

// In the second-level cache, and well beyond all caches.
constexpr std::int64_t cached = 20480, large = 1 << 23;
BENCHMARK(normal)->Arg(cached)->Arg(large)->UseManualTime();
BENCHMARK(noisy_quadratic)->Arg(cached)->Arg(large)->UseManualTime();
BENCHMARK(adam)->Arg(cached)->Arg(large)->UseManualTime();
BENCHMARK(one_bit_with_residual)->Arg(cached)->Arg(large)->UseManualTime();
BENCHMARK(unpack)->Arg(cached)->Arg(large)->UseManualTime();
BENCHMARK(sum_of_squares)->Arg(cached)->Arg(large)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
