// Nodes of several GPUs: inside, every GPU on its own cable to a switch that does not block; outside, every NIC on its
// own cable to one that does not either.

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

namespace {

struct Sizes {
  std::int64_t nodes = 0, gpus = 0, nics = 0;
  bool host_link = false;
  std::int64_t nic_of(std::int64_t host) const { return host / gpus * nics + host % gpus * nics / gpus; }
};
constexpr std::size_t inter = 0, intra = 1, host_to_nic = 2;

Blueprint laid_out(const Sizes& sizes, std::span<const LinkProperties> links) {
  Blueprint made;
  Fabric& fabric = made.fabric;
  const std::int64_t hosts = sizes.nodes * sizes.gpus;
  for (std::int64_t host = 0; host < hosts; ++host) {
    fabric.add_host("node" + std::to_string(host / sizes.gpus) + ".gpu" + std::to_string(host % sizes.gpus));
    made.node.push_back(static_cast<int>(host / sizes.gpus));
  }
  CableRun inside, to_nic, outside;
  if (sizes.gpus > 1) {
    const std::int32_t cable = fabric.add_properties(links[intra]);
    inside = CableRun::next(fabric, links[intra].duplex);
    VertexId hub = 0;
    for (std::int64_t host = 0; host < hosts; ++host) {
      if (host % sizes.gpus == 0) hub = fabric.add_switch("node" + std::to_string(host / sizes.gpus) + ".switch");
      fabric.connect(fabric.host(static_cast<int>(host)), hub, cable);
    }
  }
  if (sizes.nodes > 1) {
    const VertexId core = fabric.add_switch("core");
    const std::int32_t cable = fabric.add_properties(links[inter]);
    outside = CableRun::next(fabric, links[inter].duplex);
    VertexId first_nic = 0;
    for (std::int64_t nic = 0; nic < sizes.nodes * sizes.nics; ++nic) {
      const VertexId vertex =
          fabric.add_switch("node" + std::to_string(nic / sizes.nics) + ".nic" + std::to_string(nic % sizes.nics));
      if (nic == 0) first_nic = vertex;
      fabric.connect(vertex, core, cable);
    }
    if (sizes.host_link) {
      const std::int32_t path = fabric.add_properties(links[host_to_nic]);
      to_nic = CableRun::next(fabric, links[host_to_nic].duplex);
      for (std::int64_t host = 0; host < hosts; ++host)
        fabric.connect(fabric.host(static_cast<int>(host)), first_nic + static_cast<VertexId>(sizes.nic_of(host)),
                       path);
    }
  }
  fabric.set_route_rule([sizes, inside, to_nic, outside](int from, int to, std::vector<LinkId>& route) {
    if (from / sizes.gpus == to / sizes.gpus) {
      route.push_back(inside.there(from));
      route.push_back(inside.back(to));
      return;
    }
    if (sizes.host_link) route.push_back(to_nic.there(from));
    route.push_back(outside.there(sizes.nic_of(from)));
    route.push_back(outside.back(sizes.nic_of(to)));
    if (sizes.host_link) route.push_back(to_nic.back(to));
  });
  made.way_out = [sizes, inside, to_nic, outside](int host, std::vector<LinkId>& route) {
    if (sizes.nodes == 1) return route.push_back(inside.there(host));
    if (sizes.host_link) route.push_back(to_nic.there(host));
    route.push_back(outside.there(sizes.nic_of(host)));
  };
  if (hosts == 1) made.way_out = nullptr;
  return made;
}

}  // namespace

BuilderSpec read_star_of_nodes(models::Params& params) {
  constexpr double most_gpus = 1024.0;
  Sizes sizes;
  sizes.nodes = params.count("nodes", {1.0, most_hosts}, "nodes");
  sizes.gpus = params.count("gpus_per_node", {1.0, most_gpus}, "GPUs of a node");
  sizes.nics = params.count("nics_per_node", {1.0, most_gpus},
                            "NICs of a node, each with its own inter_node link; GPU i uses NIC i x nics / gpus", 1);
  BuilderSpec spec;
  spec.links = {
      read_link(params, "inter_node", "each NIC's cable to the switch between nodes; a route is two of them"),
      read_link(params, "intra_node", "each GPU's cable to the switch inside its node; a route is two of them")};
  spec.links[inter].used = sizes.nodes > 1;
  spec.links[intra].used = sizes.gpus > 1;
  sizes.host_link = params.has("host_link");
  if (sizes.host_link) {
    spec.links.push_back(
        read_link(params, "host_link",
                  "each GPU's path to its NIC; absent: traffic between nodes loads nothing inside the node"));
    spec.links.back().used = sizes.nodes > 1;
  }
  if (sizes.nics > sizes.gpus) {
    params.report("nics_per_node", "a node has more NICs than GPUs, and a GPU uses one NIC",
                  "write nics_per_node: " + std::to_string(sizes.gpus) + " and raise the inter_node bandwidth");
    sizes.nics = sizes.gpus;
  }
  if (static_cast<double>(sizes.nodes) * static_cast<double>(sizes.gpus) > most_hosts) {
    params.report("nodes", "the cluster has more than 1048576 GPUs", "lower nodes or gpus_per_node");
    sizes.nodes = 1;
  }
  spec.nodes = static_cast<int>(sizes.nodes);
  spec.hosts = static_cast<int>(sizes.nodes * sizes.gpus);
  spec.description = std::to_string(sizes.nodes) + " nodes x " + std::to_string(sizes.gpus);
  spec.key = "star_of_nodes " + std::to_string(sizes.nodes) + 'x' + std::to_string(sizes.gpus) + '/' +
             std::to_string(sizes.nics) + (sizes.host_link ? " host_link" : "");
  if (!sizes.host_link && sizes.nodes > 1 && sizes.gpus > 1)
    spec.not_modelled.push_back(
        {"traffic between nodes loads no link inside a node (host_link models a GPU's path to its NIC)", "optimistic"});
  spec.build = [sizes](std::span<const LinkProperties> links) { return laid_out(sizes, links); };
  return spec;
}

}  // namespace topologies
