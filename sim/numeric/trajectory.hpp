#pragma once
// The numeric plane without a clock: a synchronous, loss-free trajectory does not depend on time, so it is computed
// once per variant and joined with each sweep point's step times (a test holds this equal to the full run).

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/program/program.hpp"

namespace sim {

// Plain values, so that a child process can return it through a pipe.
struct Trajectory {
  struct Row {
    std::int64_t step = 0;
    double relative_gap = 0.0, consensus_distance = 0.0;
  };  // after `step` steps; row 0: the start
  std::vector<Row> rows;
  std::int64_t steps_done = 0;
  std::int64_t diverged_at = -1;  // step, or -1
  bool interrupted = false;
  bool stuck = false;  // ranks wait for what nobody does: the run in time meets the same deadlock, and reports it
  std::map<std::string, double> notes;  // Worker::note
};

Trajectory compute_trajectory(const TrainingProgram& program, std::uint64_t seed, const std::atomic<bool>* interrupted,
                              const std::function<void(std::int64_t step, std::int64_t steps)>& progress);

}  // namespace sim
