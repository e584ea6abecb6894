#include "sim/engine/known_group.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "models/base/defaults.hpp"
#include "models/base/error.hpp"
#include "sim/engine/player.hpp"
#include "sim/program/group_links.hpp"

namespace sim {
namespace {

// Splits over members, pairs of members, rings and chunks leave no remainder, or one that does not matter: 2^10 x 3 x 5
// x 7. A million members squared times this is below 2^63.
constexpr std::int64_t fineness = 107'520;
static_assert(fineness == 1024 * 3 * 5 * 7);

models::Collective schedule_maker(const models::CollectiveCall& call, std::string_view algorithm) {
  const models::Row<models::CollectiveAlgorithm>* row = models::collectives().find(algorithm);
  if (row == nullptr)
    throw models::Error(models::Place{}, "collective algorithm '" + std::string(algorithm) + "' is not known",
                        "see `windtunnel list` for the known ones");
  const models::CollectiveAlgorithm made = call.made ? *call.made : models::made_by_default(*row);
  if (std::find(made.kinds.begin(), made.kinds.end(), call.kind) == made.kinds.end())
    throw models::Error(models::Place{},
                        "collective algorithm '" + std::string(algorithm) + "' has no schedule for " +
                            std::string(models::collective_kind_names[static_cast<std::size_t>(call.kind)]),
                        "`auto` picks one that has");
  return made.schedule;
}

}  // namespace

KnownSchedule& known_schedule(KnownGroup& group, const models::CollectiveCall& call, std::string_view algorithm,
                              double step, double bytes) {
  for (const auto& known : group.schedules)
    if (known->kind == call.kind && known->root == call.root && known->algorithm == algorithm &&
        known->made == call.made && known->pairs == call.pairs.data() && known->step == step && known->bytes == bytes)
      return *known;
  auto known = std::make_unique<KnownSchedule>();
  known->kind = call.kind;
  known->root = call.root;
  known->bytes = bytes;
  known->step = step;
  known->made = call.made;
  known->pairs = call.pairs.data();
  models::Demand demand{call.kind, std::int64_t{group.group.size()} * group.group.size() * fineness, call.root,
                        call.pairs};
  if (!call.pairs.empty()) {
    demand.elements = 0;
    for (const models::PairDemand& pair : call.pairs) demand.elements += pair.elements;
  }
  known->schedule = schedule_maker(call, algorithm)(group.group, demand);
  known->elements = static_cast<double>(demand.elements);
  known->algorithm = models::collectives().find(algorithm)->name;
  group.schedules.push_back(std::move(known));
  return *group.schedules.back();
}

double element_bytes(const KnownSchedule& known, const models::CollectiveCall& call) {
  return call.element_size.value * static_cast<double>(call.elements) / known.elements;
}

const CollapsedPlan& plan_of(KnownGroup& group, KnownSchedule& known, RouteCache& routes, Sharing& sharing) {
  if (!known.plan) {
    known.plan =
        collapse(group.group, known.schedule, routes, sharing, KeepTransfers::yes, known.bytes / known.elements);
    for (CollapsedPhase& phase : known.plan->phases) {
      for (TransferClass& of : phase.classes) of.delay += known.step;
      known.carried.emplace_back(phase.classes.size());
    }
  }
  return *known.plan;
}

models::Choice choice_of(KnownGroup& group, const models::CollectiveCall& call, models::CollectiveWish wish,
                         RouteCache& routes, Sharing& sharing, double bytes) {
  if (group.protocols == nullptr) group.protocols = &protocols_between(group.group, routes.fabric());
  const models::Bytes size = call.element_size * static_cast<double>(call.elements);
  const KnownGroup::ChoiceKey key{call.kind, size.value, call.algorithm, call.made, call.pairs.data()};
  const auto remembered = group.choices.find(key);
  if (remembered != group.choices.end()) return remembered->second;
  wish.algorithm = call.algorithm;
  wish.element = call.element_size;
  const models::Choice choice = models::choose(
      *group.protocols, call.kind, group.group, size, wish, [&](std::string_view algorithm, const models::Pace& pace) {
        KnownSchedule& known = known_schedule(group, call, algorithm, 0.0, bytes);
        const CollapsedPlan& plan = plan_of(group, known, routes, sharing);
        double rounds = 0.0;
        for (const CollapsedPhase& phase : plan.phases) rounds += static_cast<double>(phase.rounds);
        return models::Seconds{plan.duration_s(element_bytes(known, call) * pace.wire) + rounds * pace.step.value};
      });
  group.choices.emplace(key, choice);
  return choice;
}

// Classes of a phase move at the same time: a link of several is busy as long as the longest, and its transfers add up.
void Carriage::add(const models::Group& group, const CollapsedPhase& phase, const std::vector<Carried>& carried) {
  phase_.resize(links.size());
  touched_.clear();
  for (std::size_t c = 0; c < carried.size(); ++c) {
    const TransferClass& of = phase.classes[c];
    if (carried[c].bytes <= 0.0) continue;
    for (std::size_t l = 0; l < of.links.size(); ++l) {
      Network::Usage& link = phase_[static_cast<std::size_t>(of.links[l])];
      if (link.peak == 0) touched_.push_back(of.links[l]);
      link.bytes += carried[c].bytes * of.usage[l];
      link.peak += of.usage[l];
      link.busy_s = std::max(link.busy_s, carried[c].busy_s);
      if (of.full[l] != 0) link.bound_s = std::max(link.bound_s, carried[c].busy_s);
    }
  }
  for (const topologies::LinkId link : touched_) {
    links[static_cast<std::size_t>(link)].add(phase_[static_cast<std::size_t>(link)]);
    phase_[static_cast<std::size_t>(link)] = {};
  }
  std::vector<double> bytes;
  for (const Carried& of : carried) bytes.push_back(of.bytes);
  count(group, phase, bytes);
}

void Carriage::count(const models::Group& group, const CollapsedPhase& phase, const std::vector<double>& bytes) {
  for (std::size_t t = 0; t < phase.from.size(); ++t)
    ledger.delivered(static_cast<int>(group.ranks[static_cast<std::size_t>(phase.from[t])]),
                     static_cast<int>(group.ranks[static_cast<std::size_t>(phase.to[t])]), bytes[phase.class_of[t]]);
}

void Carriage::add(const KnownGroup& group) {
  for (const auto& known : group.schedules)
    for (std::size_t p = 0; p < known->carried.size(); ++p)
      add(group.group, known->plan->phases[p], known->carried[p]);
}

}  // namespace sim
