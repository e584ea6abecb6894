#include "sim/engine/platform.hpp"

#include <xbt/log.h>

#include "models/base/error.hpp"
#include "sim/engine/zone.hpp"

namespace sim {

namespace {

// Exact `latency + size / bandwidth` and no coupling of the two directions of a cable. Must be set before the first
// zone exists.
std::unique_ptr<simgrid::s4u::Engine> configured_engine() {
  static char name[] = "windtunnel";
  static char quiet[] = "--log=xbt_cfg.thresh:warning";  // it tells of every setting otherwise
  static char* arguments[] = {name, quiet, nullptr};
  int count = 2;
  auto engine = std::make_unique<simgrid::s4u::Engine>(&count, arguments);
  xbt_log_control_set("xbt_cfg.thresh:warning");  // it would tell of every setting on standard error
  // Lazy updates of SimGrid 3.32 miss changes of rates where ends are staggered: up to 3 % of a collective's time.
  for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:1e30",
                              "surf/precision:1e-12", "maxmin/precision:1e-12", "network/optim:Full"})
    simgrid::s4u::Engine::set_config(setting);
  return engine;
}

}  // namespace

Platform::Platform(const topologies::World& world, WithLinks links, int ceilings)
    : engine_(configured_engine()), zone_(new FabricZone(world.fabric)) {
  const int hosts = links == WithLinks::yes ? world.fabric.host_count() : 1;
  hosts_.reserve(static_cast<std::size_t>(hosts));
  for (int i = 0; i < hosts; ++i) hosts_.push_back(zone_->add_host(i));
  if (links == WithLinks::yes) {
    zone_->add_links();
    for (int i = 0; i < ceilings; ++i) ceilings_.push_back(zone_->add_private_link());
  }
  zone_->get_iface()->seal();
}

// The engine's own destructor ends the simulation's objects; the zone is one of them.
Platform::~Platform() = default;

simgrid::s4u::Host* Platform::host(int index) const {
  return hosts_[hosts_.size() == 1 ? 0 : static_cast<std::size_t>(index)];
}

simgrid::s4u::Link* Platform::link(topologies::LinkId id) const { return zone_->link(id); }

models::Seconds Platform::constant_latency() { return {FabricZone::constant_latency_s}; }

void Platform::apply_ceiling(int index, models::BytesPerSecond ceiling) {
  simgrid::s4u::Link* link = ceilings_[static_cast<std::size_t>(index)];
  link->set_bandwidth(ceiling.value);
  zone_->append_to_routes(link);
}

void Platform::release_ceiling() { zone_->append_to_routes(nullptr); }

}  // namespace sim
