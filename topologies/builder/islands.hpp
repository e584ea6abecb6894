#pragma once
// Islands: nodes of several GPUs, joined inside by a switch that does not block, with NICs that an outer network joins.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topologies/builder/builder.hpp"

namespace topologies {

// A port is one NIC of one node: node x nics + index. With a NIC per GPU and no host_link the GPU's own vertex is the
// port, otherwise a NIC is a vertex of its own; without host_link a route between nodes then begins and ends at NICs.
struct Islands {
  std::int64_t nodes = 1, gpus = 1, nics = 1;
  bool host_link = false;
  std::size_t inter = 0, intra = 0, host_to_nic = 0;  // places in BuilderSpec::links

  std::int64_t hosts() const { return nodes * gpus; }
  std::int64_t ports() const { return nodes * nics; }
  std::int64_t port_of(std::int64_t host) const { return host / gpus * nics + host % gpus * nics / gpus; }
  bool hosts_are_ports() const { return nics == gpus && !host_link; }
};

enum class NicKey { read, one_per_gpu };
// Keys nodes, gpus_per_node, inter_node, intra_node, and unless there is a NIC per GPU nics_per_node and host_link;
// fills hosts, nodes, links, key and the omissions of `spec`.
Islands read_islands(models::Params& params, BuilderSpec& spec, NicKey nics, std::string_view inter_help);

// The cables inside nodes, laid; what an outer network needs to join them.
struct LaidIslands {
  Islands sizes;
  CableRun inside, to_nic;
  VertexId first_nic = 0;

  VertexId port(const Fabric& fabric, std::int64_t index) const {
    return sizes.hosts_are_ports() ? fabric.host(static_cast<int>(index)) : first_nic + static_cast<VertexId>(index);
  }
  // Within a node: over its switch.
  void pass_inside(std::int64_t from, std::int64_t to, std::vector<LinkId>& route) const {
    route.push_back(inside.there(from));
    route.push_back(inside.back(to));
  }
};
LaidIslands lay_islands(const Islands& islands, Blueprint& made, std::span<const LinkProperties> links);

// Sets the fabric's rule: inside a node over its switch, between nodes `between(from host, to host)` from port to port;
// and the way out for other sites: host -> port -> what `out` adds.
using PortRule = std::function<void(std::int64_t from_host, std::int64_t to_host, std::vector<LinkId>&)>;
using WayOut = std::function<void(std::int64_t host, std::vector<LinkId>&)>;
void join_islands(const LaidIslands& islands, Blueprint& made, PortRule between, WayOut out);

// Keys uplink | oversubscription of a switch level: an explicit link, or `down` ports' bandwidth over `up` cables and
// the ratio; neither: like inter_node.
struct Uplinks {
  std::optional<std::size_t> link;  // place in BuilderSpec::links
  std::optional<double> ratio;
  LinkProperties completed(std::span<const LinkProperties> links, const LinkProperties& down, std::int64_t down_ports,
                           std::int64_t up_cables) const;
};
Uplinks read_uplinks(models::Params& params, BuilderSpec& spec, std::string_view help);

}  // namespace topologies
