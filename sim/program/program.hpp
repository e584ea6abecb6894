#pragma once
// plan(): job x world -> Program, what each rank will run, checked against the devices' memory before anything starts.

#include <memory>
#include <string>
#include <vector>

#include "models/algorithm/algorithm.hpp"
#include "models/architecture/layout.hpp"
#include "sim/program/job.hpp"
#include "sim/result/result.hpp"
#include "topologies/fabric/world.hpp"

namespace sim {

enum class OnOutOfMemory { refuse, allow };

// Times of the layers on one device, for one micro-batch; indices follow StepPlan::layers.
struct PassTimes {
  std::vector<Seconds> forward, backward;  // per layer, launch and layer overhead included
  Seconds step_overhead{};                 // once per step, before the first forward pass
  Seconds forward_total() const;
  Seconds backward_total() const;
  Seconds backward_of(const models::Bucket& bucket) const;
};

struct TrainingProgram {
  TrainingJob job;
  models::StepPlan step_plan;
  models::Layout layout;
  models::Group group;           // all data-parallel ranks
  std::vector<PassTimes> times;  // by World::devices
  std::int64_t accumulation = 1;
  std::int64_t global_batch = 0;
  std::vector<models::Buffer> buffers;  // what one rank holds besides activations and logits
  std::vector<MemoryEntry> memory;      // planned peak, composition
  double peak_memory_B = 0.0;
};
struct CollectiveProgram {
  CollectiveJob job;
  models::Group group;
  std::vector<models::PairDemand> pairs;  // in units of 1 / pair_unit of the job's size
};
inline constexpr std::int64_t pair_unit = std::int64_t{1} << 20;
struct Program {
  std::variant<TrainingProgram, CollectiveProgram> role;
  std::vector<std::string> warnings;
};

// Throws models::Error for what does not fit (ranks, memory unless allowed, padding). Memory that does not fit but is
// allowed is a warning.
Program plan(const Job& job, const topologies::World& world, OnOutOfMemory policy);

// The halves of plan(), by kind of job; findings that do not forbid the run go to `warnings`.
TrainingProgram plan_training(const TrainingJob& job, const topologies::World& world, OnOutOfMemory policy,
                              std::vector<std::string>& warnings);
CollectiveProgram plan_collective(const CollectiveJob& job, const topologies::World& world);

// The first `ranks` hosts in rank order, with their nodes and whether these are left by separate links.
models::Group group_of(const topologies::World& world, int ranks);
// Held by CUDA context, kernels and library handles before the first tensor: the device's constant
// `framework_reserved`, or 1343 MiB.
Bytes framework_reserved(const models::Device& device);

}  // namespace sim
