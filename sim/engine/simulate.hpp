#pragma once
// simulate(): the only door into SimGrid. One simulation per process.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "sim/numeric/trajectory.hpp"
#include "sim/program/program.hpp"
#include "sim/result/result.hpp"

namespace sim {

struct Progress {
  double simulated_s = 0.0;
  std::int64_t step = 0, steps = 0;
  std::int64_t events = 0;
};

struct Limits {
  std::optional<Seconds> simulated;                // --max-sim-time -> status time_limit
  std::optional<double> wall_s;                    // --max-wall-time -> status time_limit
  const std::atomic<bool>* interrupted = nullptr;  // Ctrl-C -> status interrupted
};
enum class Tracing { off, on };
enum class Numbers {
  joined,
  full
};  // joined: trajectory once + times (default where legal); full: inside the simulated time

struct Options {
  std::string fidelity = "auto";
  std::uint64_t seed = 1;
  Tracing tracing = Tracing::off;
  Numbers numbers = Numbers::joined;
  int repeats = 1;  // seeds the scenario runs: below 3, what numbers say is an illustration
  const Trajectory* trajectory =
      nullptr;  // joined: computed before, for any sweep point of the variant; null: computed here
  Limits limits;
  std::function<void(const Progress&)> progress;  // called now and then
};

Result simulate(const Program& program, const topologies::World& world, const Options& options);

// simulate() as the module `windtunnel_engine` exports it: a program that opens the module needs no SimGrid before.
using Simulator = Result (*)(const Program&, const topologies::World&, const Options&);
inline constexpr const char* simulator_symbol = "windtunnel_simulator";

}  // namespace sim
