#include "sim/engine/zone.hpp"

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <string>

#include "models/base/error.hpp"

namespace sim {

namespace {
constexpr double unused_speed = 1.0;  // hosts compute on our own core, never on SimGrid's
}

FabricZone::FabricZone(const topologies::Fabric& fabric) : NetZoneImpl("fabric"), fabric_(fabric) {}

simgrid::s4u::Host* FabricZone::add_host(int index) {
  // The index keeps names apart that a fabric may share.
  simgrid::s4u::Host* host = create_host(std::to_string(index), {unused_speed});
  const auto point = static_cast<std::size_t>(host->get_netpoint()->id());
  if (host_of_point_.size() <= point) host_of_point_.resize(point + 1, -1);
  host_of_point_[point] = index;
  return host;
}

void FabricZone::add_links() {
  const auto count = static_cast<topologies::LinkId>(fabric_.links().size());
  links_.reserve(fabric_.links().size());
  for (topologies::LinkId id = 0; id < count; ++id)
    links_.push_back(create_link("link" + std::to_string(id), {fabric_.capacity(id).value})->seal());
}

simgrid::s4u::Link* FabricZone::add_private_link() {
  constexpr double never_binds = 1e30;  // B/s, until its flow sets the ceiling
  return create_link("ceiling" + std::to_string(private_links_++), {never_binds})->seal();
}

void FabricZone::get_local_route(const simgrid::kernel::routing::NetPoint* from,
                                 const simgrid::kernel::routing::NetPoint* to, simgrid::kernel::routing::Route* into,
                                 double* latency) {
  if (!links_.empty()) {
    const topologies::Route route = fabric_.route(host_of_point_[static_cast<std::size_t>(from->id())],
                                                  host_of_point_[static_cast<std::size_t>(to->id())]);
    for (const topologies::LinkId id : route.links) into->link_list_.push_back(link(id)->get_impl());
    if (appended_ != nullptr) into->link_list_.push_back(appended_->get_impl());
  }
  if (latency != nullptr) *latency += constant_latency_s;  // null on the way back of a route
}

}  // namespace sim
