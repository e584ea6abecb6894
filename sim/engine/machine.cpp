#include "sim/engine/machine.hpp"

#include <algorithm>
#include <vector>

#include "models/base/error.hpp"
#include "sim/engine/traffic.hpp"

namespace sim {
namespace {

constexpr int most_capped_transfers = 4096;  // under way at once, in SimGrid's own flows

int private_links(const topologies::World& world, std::string_view fidelity) {
  if (fidelity != "simgrid") return 0;
  const auto& all = world.fabric.properties();
  const bool capped = std::any_of(all.begin(), all.end(), [](const topologies::LinkProperties& link) {
    return link.transport.flow_ceiling || link.transport.window || link.loss.rate > 0.0 ||
           link.transport.half_rate_size.value > 0.0 || !link.transport.ramp.empty();
  });
  return capped ? most_capped_transfers : 0;
}

std::unique_ptr<Network> network_for(std::string_view fidelity, Core& core, RouteCache& routes, Platform& platform) {
  return fidelity == "simgrid" ? make_simgrid_flows(core, routes, platform) : make_fluid(core, routes);
}

Expansion expansion_for(std::string_view fidelity) {
  if (fidelity == "auto") return Expansion::automatic;
  return fidelity == "collapsed" ? Expansion::collapsed : Expansion::expanded;
}

Status status_of(RunOutcome::End end) {
  switch (end) {
    case RunOutcome::End::completed:
      return Status::completed;
    case RunOutcome::End::deadlocked:
      return Status::deadlocked;
    case RunOutcome::End::time_limit:
      return Status::time_limit;
    case RunOutcome::End::interrupted:
      return Status::interrupted;
    case RunOutcome::End::stopped:
      return Status::diverged;
  }
  throw models::Bug("a run ends in a known way");
}

}  // namespace

Machine::Machine(const topologies::World& built, std::string_view fidelity, std::uint64_t seed)
    : world(built),
      platform(built, fidelity == "simgrid" ? WithLinks::yes : WithLinks::no, private_links(built, fidelity)),
      core(platform.engine()),
      routes(built.fabric, seed),
      network(network_for(fidelity, core, routes, platform)),
      player(core, *network, routes, expansion_for(fidelity)),
      history(core, player, built.fabric) {
  models::ensure(fidelity == "auto" || fidelity == "fluid" || fidelity == "simgrid" || fidelity == "collapsed",
                 "fidelity is one of its names");
}

void add_outcome(Result& result, const Machine& machine, const RunOutcome& outcome) {
  result.status = status_of(outcome.end);
  result.status_detail = outcome.detail;
  if (outcome.end != RunOutcome::End::completed) result.status_time_s = outcome.time.value;
  result.events = outcome.events;
  result.flows = machine.player.transfers_started();
  result.network = machine.player.report();

  add_traffic(result, machine, outcome.time);
  if (std::any_of(result.network.begin(), result.network.end(),
                  [](const NetworkUse& use) { return use.backend == "approximate"; }))
    result.warnings.push_back(
        "network: some collectives were played as one transfer although their parts are not equal (backend "
        "'approximate')");
}

}  // namespace sim
