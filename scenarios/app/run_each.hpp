#pragma once
// Points to runs: every point in its own process, a few at once; the order and the bytes of the runs do not depend on
// how many.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/app/progress.hpp"
#include "scenarios/reader/scenario.hpp"
#include "sim/engine/simulate.hpp"

namespace scenarios {

struct RunOptions {
  int jobs = 0;  // 0: all cores
  sim::Numbers numbers = sim::Numbers::joined;
  sim::Tracing tracing = sim::Tracing::off;
  sim::OnOutOfMemory out_of_memory = sim::OnOutOfMemory::refuse;
  std::optional<sim::Seconds> max_sim_time;
  std::optional<double> max_wall_time_s;
  Loudness loudness = Loudness::normal;
};

// Runs that are known already, and where new ones are kept. By default nothing is.
class KeptRuns {
 public:
  virtual ~KeptRuns() = default;
  virtual std::optional<sim::Run> find(const Point& point) const = 0;
  virtual void keep(const Point& point, const sim::Run& run) = 0;
};

// What the user can fix (memory, ranks) throws models::Error. A dead process is a run with status crashed.
std::vector<sim::Run> run_each(const std::vector<Point>& points, const RunOptions& options, KeptRuns* kept = nullptr);

// "onebit_adam, 10 Gb/s, seed 2"
std::string label(const Point& point);

}  // namespace scenarios
