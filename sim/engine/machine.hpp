#pragma once
// Machine: what every simulation stands on, built from a world: SimGrid's platform, our core, a network and the player
// of collectives.

#include <cstdint>
#include <memory>
#include <string_view>

#include "sim/engine/core.hpp"
#include "sim/engine/link_history.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/player.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/result/result.hpp"
#include "topologies/fabric/world.hpp"

namespace sim {

struct Machine {
  // fidelity: auto | fluid | simgrid | collapsed, as cluster.network.fidelity says.
  // `seed`: of what links draw for every message.
  Machine(const topologies::World& world, std::string_view fidelity, std::uint64_t seed);

  const topologies::World& world;
  Platform platform;
  Core core;
  RouteCache routes;
  std::unique_ptr<Network> network;
  Player player;
  LinkHistory history;
};

// Status, counts, links and use of the network after a run.
void add_outcome(Result& result, const Machine& machine, const RunOutcome& outcome);
// Links and transports as constants with their sources, effects this version leaves out, and a warning where a flow
// ceiling binds.
void add_provenance(Result& result, const topologies::World& world, int ranks);
// The slowest nominal link between neighbours of the group, bytes/s; infinity for one rank.
double slowest_nominal_bandwidth(const topologies::World& world, int ranks);

}  // namespace sim
