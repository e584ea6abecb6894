// Switches of equal port count in two or three levels; below a switch `oversubscription` times as much bandwidth as
// above it. Three levels, 1:1: Al-Fares, Loukissas and Vahdat, A scalable, commodity data center network architecture,
// SIGCOMM 2008. The way up is chosen by the destination (d-mod-k: Zahavi, InfiniBand fabric optimizations, 2010), so
// shifts of all hosts meet no contention at 1:1.

#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

namespace {

// An edge switch has `down` hosts and `up` cables upwards. Two levels: every edge joins every one of `up` spines.
// Three: every edge joins every one of the `up` aggregation switches of its pod, and each of those joins its own
// `cores` core switches.
struct Shape {
  std::int64_t ports = 2, levels = 3, down = 1, up = 1, hosts = 1;
  Spread spread;
  std::int64_t edges_per_pod() const { return levels == 3 ? ports / 2 : ports; }
  std::int64_t pods() const { return levels == 3 ? ports : 1; }
  std::int64_t cores() const { return ports / 2; }
  std::int64_t most() const { return down * edges_per_pod() * pods(); }
  std::int64_t edges() const { return (hosts + down - 1) / down; }
  std::int64_t used_pods() const { return (edges() + edges_per_pod() - 1) / edges_per_pod(); }
};

Blueprint laid_out(const Shape& shape, const std::vector<int>& node, const LinkProperties& link) {
  Blueprint made;
  Fabric& fabric = made.fabric;
  made.node = node;
  for (std::int64_t host = 0; host < shape.hosts; ++host) fabric.add_host("host" + std::to_string(host));
  const std::int32_t properties = fabric.add_properties(link);
  std::vector<VertexId> edges, middle, cores;
  for (std::int64_t edge = 0; edge < shape.edges(); ++edge)
    edges.push_back(fabric.add_switch("edge" + std::to_string(edge)));
  const std::int64_t groups = shape.levels == 3 ? shape.used_pods() : 1;
  for (std::int64_t i = 0; i < groups * shape.up; ++i)
    middle.push_back(fabric.add_switch((shape.levels == 3 ? "aggregation" : "spine") + std::to_string(i)));
  if (shape.levels == 3)
    for (std::int64_t i = 0; i < shape.up * shape.cores(); ++i)
      cores.push_back(fabric.add_switch("core" + std::to_string(i)));
  const auto at = [](const std::vector<VertexId>& all, std::int64_t i) { return all[static_cast<std::size_t>(i)]; };

  const CableRun to_edge = CableRun::next(fabric, link.duplex);
  for (std::int64_t host = 0; host < shape.hosts; ++host)
    fabric.connect(fabric.host(static_cast<int>(host)), at(edges, host / shape.down), properties);
  const CableRun to_middle = CableRun::next(fabric, link.duplex);
  for (std::int64_t edge = 0; edge < shape.edges(); ++edge)
    for (std::int64_t j = 0; j < shape.up; ++j)
      fabric.connect(at(edges, edge), at(middle, edge / shape.edges_per_pod() * shape.up + j), properties);
  const CableRun to_core = CableRun::next(fabric, link.duplex);
  if (shape.levels == 3)
    for (std::int64_t i = 0; i < groups * shape.up; ++i)
      for (std::int64_t m = 0; m < shape.cores(); ++m)
        fabric.connect(at(middle, i), at(cores, i % shape.up * shape.cores() + m), properties);

  fabric.set_route_rule([shape, to_edge, to_middle, to_core](int from, int to, std::vector<LinkId>& route) {
    const std::int64_t edge_from = from / shape.down, edge_to = to / shape.down;
    const std::int64_t pod_from = edge_from / shape.edges_per_pod(), pod_to = edge_to / shape.edges_per_pod();
    const std::int64_t j = shape.spread.pick(from, to, 0, shape.up, to % shape.down % shape.up);
    const std::int64_t m =
        shape.spread.pick(from, to, 1, shape.cores(), edge_to % shape.edges_per_pod() % shape.cores());
    route.push_back(to_edge.there(from));
    if (edge_from != edge_to) {
      route.push_back(to_middle.there(edge_from * shape.up + j));
      if (pod_from != pod_to) {
        route.push_back(to_core.there((pod_from * shape.up + j) * shape.cores() + m));
        route.push_back(to_core.back((pod_to * shape.up + j) * shape.cores() + m));
      }
      route.push_back(to_middle.back(edge_to * shape.up + j));
    }
    route.push_back(to_edge.back(to));
  });
  made.way_out = [shape, to_edge, to_middle, to_core](int host, std::vector<LinkId>& route) {
    const std::int64_t edge = host / shape.down, j = host % shape.down % shape.up;
    route.push_back(to_edge.there(host));
    route.push_back(to_middle.there(edge * shape.up + j));
    if (shape.levels == 3)
      route.push_back(to_core.there((edge / shape.edges_per_pod() * shape.up + j) * shape.cores() +
                                    edge % shape.edges_per_pod() % shape.cores()));
  };
  return made;
}

}  // namespace

BuilderSpec read_fat_tree(models::Params& params) {
  constexpr double most_ports = 1024.0;
  Shape shape;
  shape.ports = params.count("ports", {2.0, most_ports}, "ports of every switch (k of a k-ary fat tree)");
  shape.levels = params.count("levels", {2.0, 3.0}, "levels of switches", 3);
  const std::int64_t ratio = params.count("oversubscription", {1.0, most_ports},
                                          "hosts below an edge switch for each of its cables upwards", 1);
  LinkWish link = read_link(params, "link", "every cable of the tree");
  shape.spread = read_routing(params);
  const bool divides = shape.ports % (1 + ratio) == 0 && shape.ports % 2 == 0;
  if (!divides && !params.describing())
    params.report("ports",
                  "the ports of a fat tree are even and split into 1 part up and 'oversubscription' parts down",
                  "write a multiple of " + std::to_string((1 + ratio) % 2 == 0 ? 1 + ratio : 2 * (1 + ratio)));
  shape.up = divides ? shape.ports / (1 + ratio) : 1;
  shape.down = divides ? shape.ports - shape.up : 1;
  const auto most = static_cast<double>(shape.most());
  shape.hosts = params.count("nodes", {1.0, most_hosts},
                             "hosts, edge switches filled in order; default: as many as the tree takes",
                             most > most_hosts ? 1 : shape.most());
  const bool fits = static_cast<double>(shape.hosts) <= most && (most <= most_hosts || params.has("nodes"));
  if (!fits && divides && !params.describing())
    params.report("nodes",
                  "this fat tree takes at most " + std::to_string(shape.most()) + " hosts, and a cluster 1048576",
                  "raise ports, or write nodes");
  if (!fits) shape.hosts = 1;
  std::vector<int> node = read_grouping(params, static_cast<int>(shape.hosts));
  BuilderSpec spec;
  spec.hosts = static_cast<int>(shape.hosts);
  spec.nodes = node_count(node);
  spec.links = {std::move(link)};
  spec.description =
      std::to_string(shape.hosts) + " hosts in a fat tree of " + std::to_string(shape.ports) + "-port switches";
  if (ratio > 1) spec.description += ", " + std::to_string(ratio) + ":1 oversubscribed";
  spec.key = "fat_tree " + std::to_string(shape.ports) + '/' + std::to_string(shape.levels) + '/' +
             std::to_string(ratio) + '/' + std::to_string(shape.hosts) + '/' + std::to_string(spec.nodes) +
             shape.spread.key();
  spec.not_modelled.push_back({"adaptive routing: a pair of hosts keeps its way up the fat tree", "pessimistic"});
  spec.build = [shape, node = std::move(node)](std::span<const LinkProperties> links) {
    return laid_out(shape, node, links[0]);
  };
  return spec;
}

}  // namespace topologies
