#pragma once
// A group of ranks with the schedules it has played: each is made, and collapsed, once.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "models/algorithm/worker.hpp"
#include "models/collective/collective.hpp"
#include "models/collective/protocol.hpp"
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
  double bytes = 0.0;     // of the call, where the plan depends on them, else 0
  double step = 0.0;      // seconds that a protocol adds to every round; in the plan's delays
  models::Schedule schedule;
  std::optional<CollapsedPlan> plan;
  std::vector<std::vector<Carried>> carried;  // by phase and class of the plan
};

struct KnownGroup {
  models::Group group;
  Patterns patterns;
  std::vector<std::unique_ptr<KnownSchedule>> schedules;
  const models::Protocols* protocols = nullptr;  // of the links between the members
  using ChoiceKey = std::tuple<models::CollectiveKind, double, std::string, const models::CollectiveAlgorithm*,
                               const models::PairDemand*>;  // size; algorithm as the call has it; pairs
  std::map<ChoiceKey, models::Choice> choices;
};

// Makes the schedule when the group has not played it yet. `algorithm`: a row of collectives(); throws models::Error
// when it is unknown or does not do call.kind. `bytes`: of the call, where routes make the plan depend on them, else 0.
KnownSchedule& known_schedule(KnownGroup& group, const models::CollectiveCall& call, std::string_view algorithm,
                              double step, double bytes);
// Collapses it when that has not been done yet.
const CollapsedPlan& plan_of(KnownGroup& group, KnownSchedule& known, RouteCache& routes, Sharing& sharing);
// Algorithm, protocol and pace of a call, found once for each size: the fastest when nobody else is on the network.
// The wish's algorithm is the call's; the rest does not change from call to call.
models::Choice choice_of(KnownGroup& group, const models::CollectiveCall& call, models::CollectiveWish wish,
                         RouteCache& routes, Sharing& sharing, double bytes);
// Bytes of one element of the schedule.
double element_bytes(const KnownSchedule& known, const models::CollectiveCall& call);
// What collapsed rounds carried, summed up.
struct Carriage {
  explicit Carriage(const topologies::Fabric& fabric) : links(fabric.links().size()), ledger(fabric.host_count()) {}
  std::vector<Network::Usage> links;
  Ledger ledger;
  // Rounds of one phase; `carried` by class.
  void add(const models::Group& group, const CollapsedPhase& phase, const std::vector<Carried>& carried);
  // Senders and receivers of one round, whose links are counted elsewhere; bytes of a transfer by class.
  void count(const models::Group& group, const CollapsedPhase& phase, const std::vector<double>& bytes);
  // All that the group's collapsed rounds carried.
  void add(const KnownGroup& group);

 private:
  std::vector<topologies::LinkId> touched_;
  std::vector<Network::Usage> phase_;  // by link
};

}  // namespace sim
