#pragma once
// Device memory of one rank over a training step: one ledger, driven by the planner before the run and by the worker
// while it runs.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "models/algorithm/buffers.hpp"
#include "models/architecture/step_plan.hpp"
#include "sim/program/program.hpp"
#include "sim/result/result.hpp"

namespace sim {

inline constexpr std::size_t memory_categories = std::size(models::memory_category_names);
using MemoryBytes = std::array<double, memory_categories>;  // by models::MemoryCategory

// What is held now, and the composition at the instant when the sum was largest (the first of equal ones).
class MemoryLedger {
 public:
  void allocate(models::MemoryCategory category, Bytes size);
  void release(models::MemoryCategory category, Bytes size);
  double now() const { return now_; }
  double peak() const { return peak_; }
  const MemoryBytes& composition() const { return composition_; }

 private:
  MemoryBytes held_{}, composition_{};
  double now_ = 0.0, peak_ = 0.0;
};

// The instants of a step, in the words of the worker. Buffers of the exchange are held from the first ready bucket to
// the end of the step.
class StepMemory {
 public:
  StepMemory(const models::StepPlan& plan, std::vector<models::Buffer> buffers);
  void begin_run();
  void forward();                                  // of one micro-batch, all layers
  void backward(int first_layer, int last_layer);  // frees the layers' activations, last layer first
  void begin_exchange();
  void end_step();
  const MemoryLedger& ledger() const { return ledger_; }

 private:
  void take(models::Lifetime lifetime);
  void give_back(models::Lifetime lifetime);

  const models::StepPlan* plan_;
  std::vector<models::Buffer> buffers_;
  MemoryLedger ledger_;
  bool exchanging_ = false;
};

// Everything one rank holds but activations and logits, which StepMemory takes from the step plan: weights, gradients,
// master weights, what the algorithm declares, workspace, framework.
std::vector<models::Buffer> rank_buffers(const TrainingJob& job, const models::StepPlan& plan,
                                         const std::vector<models::Buffer>& algorithm, Bytes framework_reserved);
// Drives `memory` through one step as the worker does.
void walk_step(StepMemory& memory, const models::Layout& layout, const models::StepPlan& plan,
               std::int64_t accumulation);

// Categories that are not empty, in the order of the enum.
std::vector<MemoryEntry> memory_entries(const MemoryLedger& ledger, const std::string& ranks);

}  // namespace sim
