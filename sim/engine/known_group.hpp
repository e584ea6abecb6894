#pragma once
// A group of ranks with the schedules it has played: each is made, and collapsed, once.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "models/algorithm/worker.hpp"
#include "models/collective/collective.hpp"
#include "sim/engine/expanded_play.hpp"
#include "sim/engine/network/collapsed.hpp"
#include "sim/engine/network/network.hpp"

namespace sim {

// What collapsed rounds of one class carried so far.
struct Carried {
  double bytes = 0.0, busy_s = 0.0;
};  // per transfer; per link

struct KnownSchedule {
  models::CollectiveKind kind{};
  int root = 0;
  std::string_view algorithm;  // of the table's row
  const models::CollectiveAlgorithm* made = nullptr;
  const models::PairDemand* pairs = nullptr;
  double elements = 0.0;  // that the schedule was made for
  double bytes = 0.0;  // of the call, where the plan depends on them, else 0
  models::Schedule schedule;
  std::optional<CollapsedPlan> plan;
  std::vector<std::vector<Carried>> carried;  // by phase and class of the plan
};

struct KnownGroup {
  models::Group group;
  Patterns patterns;
  std::vector<std::unique_ptr<KnownSchedule>> schedules;
};

// Makes the schedule when the group has not played it yet. call.algorithm: a row of collectives() or "auto"; throws
// models::Error when it is unknown or does not do call.kind.
// `bytes`: of the call, where routes make the plan depend on them, else 0.
KnownSchedule& known_schedule(KnownGroup& group, const models::CollectiveCall& call, double bytes = 0.0);
// Adds what the group's collapsed rounds carried, by link.
void add_carried(const KnownGroup& group, std::vector<Network::Usage>& usage);

}  // namespace sim
