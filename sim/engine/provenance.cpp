#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include <fmt/format.h>

#include "sim/engine/machine.hpp"

namespace sim {
namespace {

// A route between neighbours in rank order, one for each pair of links that its ends have; enough to see every kind of
// link a ring crosses.
template <class Visit>
void for_neighbours(const topologies::World& world, int ranks, const Visit& visit) {
  for (int from = 0; ranks > 1 && from < ranks; ++from) visit(world.fabric.route(from, (from + 1) % ranks));
}

void add_link_constants(Result& result, const topologies::Fabric& fabric) {
  std::set<std::string> seen;
  for (const topologies::LinkProperties& link : fabric.properties()) {
    if (!seen.insert(link.name).second) continue;
    result.constants.push_back({link.name + ".bandwidth", link.bandwidth.value, "B/s", "", link.source});
    result.constants.push_back({link.name + ".latency", link.latency.value, "s", "", link.source});
    const topologies::Transport& transport = link.transport;
    if (transport.goodput != 1.0)
      result.constants.push_back({link.name + ".goodput", transport.goodput, "", "", transport.source});
    if (transport.flow_ceiling)
      result.constants.push_back(
          {link.name + ".flow_ceiling", transport.flow_ceiling->value, "B/s", "", transport.source});
    if (transport.window)
      result.constants.push_back({link.name + ".window", transport.window->value, "B", "", transport.source});
    if (transport.half_rate_size.value > 0.0)
      result.constants.push_back(
          {link.name + ".half_rate_size", transport.half_rate_size.value, "B", "", transport.source});
    if (link.loss.rate > 0.0) result.constants.push_back({link.name + ".loss", link.loss.rate, "", "", link.source});
    if (link.jitter.mean.value > 0.0)
      result.constants.push_back({link.name + ".jitter", link.jitter.mean.value, "s", "", link.source});
    if (transport.flows_per_peer != 1)
      result.constants.push_back(
          {link.name + ".flows_per_peer", static_cast<double>(transport.flows_per_peer), "", "", transport.source});
  }
}

// Per kind of link, named once: the ceiling of a lone transfer lies under what its links would give.
void warn_of_ceilings(Result& result, const topologies::World& world, int ranks) {
  std::set<std::string> named;
  for_neighbours(world, ranks, [&](const topologies::Route& route) {
    if (!route.ceiling || route.links.empty()) return;
    const topologies::LinkId slowest =
        *std::min_element(route.links.begin(), route.links.end(), [&](topologies::LinkId a, topologies::LinkId b) {
          return world.fabric.capacity(a) < world.fabric.capacity(b);
        });
    const topologies::BytesPerSecond capacity = world.fabric.capacity(slowest);
    if (!(*route.ceiling < capacity) || !named.insert(world.fabric.properties_of(slowest).name).second) return;
    result.warnings.push_back(fmt::format("network: the ceiling of one transfer, {}, binds, not link {} with {}",
                                          models::text(*route.ceiling), world.fabric.properties_of(slowest).name,
                                          models::text(capacity)));
  });
}

}  // namespace

double slowest_nominal_bandwidth(const topologies::World& world, int ranks) {
  double slowest = std::numeric_limits<double>::infinity();
  for_neighbours(world, ranks, [&](const topologies::Route& route) {
    for (const topologies::LinkId link : route.links)
      slowest = std::min(slowest, world.fabric.properties_of(link).bandwidth.value);
  });
  return slowest;
}

void add_provenance(Result& result, const topologies::World& world, int ranks) {
  for (const models::Device& device : world.devices)
    for (const models::Device::Constant& constant : device.constants)
      result.constants.push_back({constant.name.rfind("device.", 0) == 0 ? device.name + constant.name.substr(6)
                                                                         : device.name + "." + constant.name,
                                  constant.value, constant.unit, constant.fitted_on, constant.source});
  add_link_constants(result, world.fabric);
  warn_of_ceilings(result, world, ranks);
  for (const topologies::Omission& left_out : world.not_modelled)
    result.not_modelled.push_back({left_out.effect, left_out.direction, "", "shape of the cluster"});
  const NotModelled effects[] = {
      {"congestion control, packet bursts and incast: concurrent flows share a link equally and at once", "optimistic",
       "", "max-min fluid model"},
      {"protocols and channels of the collective library (LL, LL128, trees, pipelining inside a round)", "pessimistic",
       "small messages most", "rounds are played as written, store and forward"},
      {"clock and power limits of the devices, jitter and stragglers of hosts", "optimistic", "",
       "kernel times are constants"},
  };
  result.not_modelled.insert(result.not_modelled.end(), std::begin(effects), std::end(effects));
}

}  // namespace sim
