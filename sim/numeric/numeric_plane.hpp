#pragma once
// The numeric plane of one training run: every rank's weights and gradient, the objective, and the work waiting for the
// pool. The trajectory runner and the simulated worker share it, so that both give the same bits.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/algorithm/worker.hpp"
#include "models/objective/objective.hpp"
#include "sim/numeric/trajectory.hpp"
#include "sim/program/program.hpp"

namespace sim {

class NumericPlane {
 public:
  NumericPlane(const TrainingProgram& program, std::uint64_t seed);

  std::span<float> weights(int member) { return weights_[static_cast<std::size_t>(member)]; }
  std::span<float> gradient(int member) { return gradients_[static_cast<std::size_t>(member)]; }
  // Fills the member's gradient with the mean over its micro-batches of this step, at the present weights.
  models::Work gradient_work(int member, std::int64_t step);

  // Work of one member runs in the order it was added; run_all() runs the members in parallel and returns when nothing
  // waits.
  void add(int member, models::Work work);
  bool has_work() const { return !waiting_.empty(); }
  void run_all();

  // Is the loss due after `steps_done` steps?
  bool evaluation_due(std::int64_t steps_done) const;
  // At the mean of the members' vectors, in rank order; `weights` has one span per member.
  Trajectory::Row evaluate(std::int64_t steps_done, std::span<const std::span<const float>> weights) const;
  Trajectory::Row evaluate(std::int64_t steps_done) const;
  bool diverged(const Trajectory::Row& row) const;
  const models::Objective& objective() const { return *objective_; }

 private:
  const TrainingProgram* program_;
  std::unique_ptr<const models::Objective> objective_;
  double optimum_ = 0.0, start_gap_ = 0.0;
  std::vector<std::vector<float>> weights_, gradients_;
  std::vector<std::vector<models::Work>> work_;  // by member
  std::vector<int> waiting_;                     // members with work, in the order of their first
};

}  // namespace sim
