#pragma once
// simulate(): the only door into SimGrid. One simulation per process.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "sim/program/program.hpp"
#include "sim/result/result.hpp"

namespace sim {

struct Progress { double simulated_s = 0.0; std::int64_t step = 0, steps = 0; std::int64_t events = 0; };

// The numbers of a synchronous, loss-free training run, computed without a clock (trajectory.hpp), to be joined with step times.
struct Trajectory;

struct Limits {
  std::optional<Seconds> simulated;   // --max-sim-time -> status time_limit
  std::optional<double> wall_s;       // --max-wall-time -> status time_limit
  const std::atomic<bool>* interrupted = nullptr;  // Ctrl-C -> status interrupted
};
enum class Tracing { off, on };
enum class Numbers { joined, full };    // joined: trajectory once + times (default where legal); full: inside the simulated time

struct Options {
  std::string fidelity = "auto";
  std::uint64_t seed = 1;
  Tracing tracing = Tracing::off;
  Numbers numbers = Numbers::joined;
  const Trajectory* trajectory = nullptr;  // joined, already computed for another sweep point of the variant
  Limits limits;
  std::function<void(const Progress&)> progress;  // called now and then
};

Result simulate(const Program& program, const topologies::World& world, const Options& options);

}  // namespace sim
