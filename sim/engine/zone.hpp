#pragma once
// Our SimGrid routing zone: routes come from the fabric when they are asked for, nothing is stored.

#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <vector>

#include "topologies/fabric/fabric.hpp"

#if SIMGRID_VERSION < 33200 || SIMGRID_VERSION >= 33300
#error "zone.cpp is written against the kernel headers of SimGrid 3.32"
#endif

namespace sim {

class FabricZone : public simgrid::kernel::routing::NetZoneImpl {
 public:
  // `fabric` must outlive the zone.
  explicit FabricZone(const topologies::Fabric& fabric);

  // In host order. Links are created for all directed links at once; without them every route is empty.
  simgrid::s4u::Host* add_host(int index);
  void add_links();
  simgrid::s4u::Link* link(topologies::LinkId id) const { return links_[static_cast<std::size_t>(id)]; }

  // A link of one flow only: a per-flow ceiling in a library that ignores the rate of such flows.
  simgrid::s4u::Link* add_private_link();
  // Routes asked from now on end with `link`; null: no more.
  void append_to_routes(const simgrid::s4u::Link* link) { appended_ = link; }

  // SimGrid shares links by route latency; equal sharing needs one constant.
  static constexpr double constant_latency_s = 1e-9;

 private:
  void get_local_route(const simgrid::kernel::routing::NetPoint* from, const simgrid::kernel::routing::NetPoint* to,
                       simgrid::kernel::routing::Route* into, double* latency) override;

  const topologies::Fabric& fabric_;
  std::vector<int> host_of_point_;  // by NetPoint id
  std::vector<simgrid::s4u::Link*> links_;
  const simgrid::s4u::Link* appended_ = nullptr;
  int private_links_ = 0;
};

}  // namespace sim
