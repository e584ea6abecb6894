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
  Seconds step_overhead{};
};

struct TrainingProgram {
  TrainingJob job;
  models::StepPlan step_plan;
  models::Layout layout;
  models::Group group;                 // all data-parallel ranks
  std::vector<PassTimes> times;        // by World::devices
  std::int64_t accumulation = 1;
  std::int64_t global_batch = 0;
  std::vector<MemoryEntry> memory;     // planned peak, composition
  double peak_memory_B = 0.0;
};
struct CollectiveProgram {
  CollectiveJob job;
  models::Group group;
};
struct Program {
  std::variant<TrainingProgram, CollectiveProgram> role;
  std::vector<std::string> warnings;
};

// Throws models::Error for what does not fit (ranks, memory unless allowed, padding).
Program plan(const Job& job, const topologies::World& world, OnOutOfMemory policy);

}  // namespace sim
