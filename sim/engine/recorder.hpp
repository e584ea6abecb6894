#pragma once
// Recorder: what a training run did, summed up while it runs: exact sums over ranks and steps. Of the steps' ends it
// keeps 262,144 at most, so memory does not grow with ranks or steps.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/result/result.hpp"

namespace sim {

// What a rank's compute stream does in a step; the parts add up to the step.
enum class Part { forward, backward, codec, optimizer, exposed_communication, other };
inline constexpr std::size_t part_count = 6;

// One step, or the sum of several: seconds summed over ranks; communication and wire bytes once for all ranks.
struct StepSums {
  std::array<double, part_count> parts{};
  double duration_s = 0.0;
  double communication_s = 0.0;  // the communication stream was busy
  double wire_B = 0.0;           // sent per rank
  double steps = 0.0;
  StepSums& operator+=(const StepSums& other);
  StepSums operator*(double factor) const;
  double part(Part which) const { return parts[static_cast<std::size_t>(which)]; }
};

// Steps that the algorithm called alike.
struct PhaseSums {
  std::string name;
  std::int64_t first_step = 0, until = 0;  // announced end; 0: not announced
  StepSums steady;                         // simulated, without the run's first step
  StepSums last;                           // the last simulated step
  std::int64_t simulated = 0, skipped = 0;
  StepSums total() const;  // steady (or the run's first step when there is no other) and skipped steps as the last one
};

enum class Skipping { no, alike_steps };

class Recorder {
 public:
  Recorder(int ranks, Skipping skipping, Tracing tracing);

  void phase(const char* name, std::int64_t until);
  void begin_step(std::int64_t step);
  void add(std::int64_t step, Part part, double seconds);
  void communication(double begin_s, double end_s, double wire_B);  // of the oldest open step
  // A rank's step lasted from begin to end.
  void end_step(std::int64_t step, double begin_s, double end_s, bool quiet);
  std::int64_t next_step(std::int64_t step);

  std::int64_t steps_closed() const { return steps_closed_; }
  std::int64_t steps_skipped() const;
  double skipped_wire_B() const;  // sent per rank in the steps that were not simulated
  double last_end_s() const { return step_ends_.empty() ? 0.0 : last_end_.second; }
  const std::vector<PhaseSums>& phases() const { return phases_; }
  // (step, when its last rank ended it), simulated steps only: every one, or evenly thinned ones and the last.
  std::vector<std::pair<std::int64_t, double>> step_ends() const;
  // When `step` ended, one of the simulated; straight between its neighbours where it was thinned out.
  double end_of(std::int64_t step) const;

  bool tracing() const { return tracing_ == Tracing::on; }
  void span(int rank, int lane, const char* name, double begin_s, double end_s);
  std::vector<Span>& spans() { return spans_; }
  bool spans_cut() const { return spans_cut_; }

 private:
  struct Open {
    std::int64_t step = 0;
    std::size_t phase = 0;
    int ended = 0;
    double end_s = 0.0;
    StepSums sums;
  };
  Open& open(std::int64_t step);
  void close(Open& step, bool quiet);
  void note_end(std::int64_t step, double end_s);

  int ranks_;
  Skipping skipping_;
  Tracing tracing_;
  std::vector<PhaseSums> phases_;
  std::deque<Open> open_;
  std::int64_t newest_ = -1, steps_closed_ = 0;
  std::int64_t skip_after_ = -1, skip_to_ = -1;
  std::vector<std::pair<std::int64_t, double>> step_ends_;  // of every end_stride_-th step
  std::pair<std::int64_t, double> last_end_{-1, 0.0};
  std::int64_t end_stride_ = 1;
  std::vector<Span> spans_;
  bool spans_cut_ = false;
};

}  // namespace sim
