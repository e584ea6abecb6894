#include "topologies/builder/islands.hpp"

#include <utility>

#include "models/base/params.hpp"

namespace topologies {

namespace {

std::string text(std::int64_t number) { return std::to_string(number); }

}  // namespace

Islands read_islands(models::Params& params, BuilderSpec& spec, NicKey nics, std::string_view inter_help) {
  constexpr double most_gpus = 1024.0;
  Islands islands;
  islands.nodes = params.count("nodes", {1.0, most_hosts}, "nodes");
  islands.gpus = params.count("gpus_per_node", {1.0, most_gpus}, "GPUs of a node", 1);
  islands.nics = nics == NicKey::one_per_gpu ? islands.gpus
                                             : params.count("nics_per_node", {1.0, most_gpus},
                                                            "NICs of a node; GPU i uses NIC i x nics / gpus", 1);
  spec.links.push_back(read_link(params, "inter_node", inter_help));
  islands.intra = spec.links.size();
  spec.links.push_back(
      read_link(params, "intra_node", "each GPU's cable to the switch inside its node; a route is two of them"));
  spec.links.back().used = islands.gpus > 1;
  islands.host_link = nics == NicKey::read && params.has("host_link");
  if (islands.host_link) {
    islands.host_to_nic = spec.links.size();
    spec.links.push_back(read_link(params, "host_link", "each GPU's path to its NIC; absent: it costs nothing"));
  }
  if (islands.nics > islands.gpus) {
    params.report("nics_per_node", "a node has more NICs than GPUs, and a GPU uses one NIC",
                  "write nics_per_node: " + text(islands.gpus) + " and raise the inter_node bandwidth");
    islands.nics = islands.gpus;
  }
  if (static_cast<double>(islands.nodes) * static_cast<double>(islands.gpus) > most_hosts) {
    params.report("nodes", "the cluster has more than 1048576 GPUs", "lower nodes or gpus_per_node");
    islands.nodes = 1;
  }
  spec.nodes = static_cast<int>(islands.nodes);
  spec.hosts = static_cast<int>(islands.hosts());
  spec.description = text(islands.nodes) + " nodes x " + text(islands.gpus);
  spec.key = text(islands.nodes) + 'x' + text(islands.gpus) + '/' + text(islands.nics) +
             (islands.host_link ? " host_link" : "");
  if (!islands.host_link && islands.gpus > 1)
    spec.not_modelled.push_back({nics == NicKey::read
                                     ? "traffic between nodes loads no link inside a node (host_link models a GPU's "
                                       "path to its NIC)"
                                     : "a GPU's path to its own NIC costs nothing",
                                 "optimistic"});
  return islands;
}

LaidIslands lay_islands(const Islands& islands, Blueprint& made, std::span<const LinkProperties> links) {
  Fabric& fabric = made.fabric;
  LaidIslands laid;
  laid.sizes = islands;
  const std::int64_t hosts = islands.hosts();
  for (std::int64_t host = 0; host < hosts; ++host) {
    const std::string node = "node" + text(host / islands.gpus);
    fabric.add_host(islands.gpus == 1 ? node : node + ".gpu" + text(host % islands.gpus));
    made.node.push_back(static_cast<int>(host / islands.gpus));
  }
  if (islands.gpus > 1) {
    const std::int32_t cable = fabric.add_properties(links[islands.intra]);
    laid.inside = CableRun::next(fabric, links[islands.intra].duplex);
    VertexId hub = 0;
    for (std::int64_t host = 0; host < hosts; ++host) {
      if (host % islands.gpus == 0) hub = fabric.add_switch("node" + text(host / islands.gpus) + ".switch");
      fabric.connect(fabric.host(static_cast<int>(host)), hub, cable);
    }
  }
  if (islands.hosts_are_ports()) return laid;
  for (std::int64_t port = 0; port < islands.ports(); ++port) {
    const VertexId nic = fabric.add_switch("node" + text(port / islands.nics) + ".nic" + text(port % islands.nics));
    if (port == 0) laid.first_nic = nic;
  }
  if (islands.host_link) {
    const std::int32_t path = fabric.add_properties(links[islands.host_to_nic]);
    laid.to_nic = CableRun::next(fabric, links[islands.host_to_nic].duplex);
    for (std::int64_t host = 0; host < hosts; ++host)
      fabric.connect(fabric.host(static_cast<int>(host)), laid.port(fabric, islands.port_of(host)), path);
  }
  return laid;
}

void join_islands(const LaidIslands& islands, Blueprint& made, PortRule between, WayOut out) {
  made.fabric.set_route_rule([islands, between = std::move(between)](int from, int to, std::vector<LinkId>& route) {
    if (from / islands.sizes.gpus == to / islands.sizes.gpus) return islands.pass_inside(from, to, route);
    if (islands.sizes.host_link) route.push_back(islands.to_nic.there(from));
    between(from, to, route);
    if (islands.sizes.host_link) route.push_back(islands.to_nic.back(to));
  });
  made.way_out = [islands, out = std::move(out)](int host, std::vector<LinkId>& route) {
    if (islands.sizes.host_link) route.push_back(islands.to_nic.there(host));
    out(host, route);
  };
}

LinkProperties Uplinks::completed(std::span<const LinkProperties> links, const LinkProperties& down,
                                  std::int64_t down_ports, std::int64_t up_cables) const {
  if (link) return links[*link];
  LinkProperties up = down;
  up.name = "uplink";
  if (ratio)
    up.bandwidth = down.bandwidth * (static_cast<double>(down_ports) / (static_cast<double>(up_cables) * *ratio));
  return up;
}

Uplinks read_uplinks(models::Params& params, BuilderSpec& spec, std::string_view help) {
  constexpr double most_oversubscription = 1e6;
  Uplinks uplinks;
  if (params.has("uplink")) {
    uplinks.link = spec.links.size();
    spec.links.push_back(read_link(params, "uplink", help));
  }
  if (params.has("oversubscription")) {
    uplinks.ratio = params.number("oversubscription", {0.0, most_oversubscription, models::Range::Ends::open_low},
                                  "bandwidth below a switch over bandwidth above it; sets the uplinks' bandwidth");
    if (uplinks.link && !params.describing())
      params.report("oversubscription", "uplinks have a link or an oversubscription, not both",
                    "leave out uplink: then they are inter_node cables of the bandwidth that the ratio asks for");
  }
  return uplinks;
}

}  // namespace topologies
