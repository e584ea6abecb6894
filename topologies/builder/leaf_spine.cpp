// Two levels: every node's NICs on one leaf, every leaf joined to every spine (a folded Clos network: Clos, A study of
// non-blocking switching networks, Bell System Technical Journal 1953). The spine is chosen by the destination, or by a
// hash.

#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/islands.hpp"

namespace topologies {

namespace {

struct Shape {
  Islands islands;
  Uplinks uplinks;
  Spread spread;
  std::int64_t leaves = 1, nodes_per_leaf = 1, spines = 1;
};

Blueprint laid_out(const Shape& shape, std::span<const LinkProperties> links) {
  Blueprint made;
  Fabric& fabric = made.fabric;
  const LaidIslands islands = lay_islands(shape.islands, made, links);
  const std::int64_t ports_per_leaf = shape.nodes_per_leaf * shape.islands.nics;
  std::vector<VertexId> leaves, spines;
  for (std::int64_t i = 0; i < shape.leaves; ++i) leaves.push_back(fabric.add_switch("leaf" + std::to_string(i)));
  for (std::int64_t i = 0; shape.leaves > 1 && i < shape.spines; ++i)
    spines.push_back(fabric.add_switch("spine" + std::to_string(i)));

  const LinkProperties& down = links[shape.islands.inter];
  const std::int32_t cable = fabric.add_properties(down);
  const CableRun to_leaf = CableRun::next(fabric, down.duplex);
  for (std::int64_t port = 0; port < shape.islands.ports(); ++port)
    fabric.connect(islands.port(fabric, port), leaves[static_cast<std::size_t>(port / ports_per_leaf)], cable);
  CableRun to_spine;
  if (shape.leaves > 1) {
    const LinkProperties up = shape.uplinks.completed(links, down, ports_per_leaf, shape.spines);
    const std::int32_t uplink = fabric.add_properties(up);
    to_spine = CableRun::next(fabric, up.duplex);
    for (const VertexId leaf : leaves)
      for (const VertexId spine : spines) fabric.connect(leaf, spine, uplink);
  }

  join_islands(
      islands, made,
      [shape, ports_per_leaf, to_leaf, to_spine](std::int64_t from, std::int64_t to, std::vector<LinkId>& route) {
        const std::int64_t port = shape.islands.port_of(from), goal = shape.islands.port_of(to);
        route.push_back(to_leaf.there(port));
        if (port / ports_per_leaf != goal / ports_per_leaf) {
          const std::int64_t spine = shape.spread.pick(from, to, 0, shape.spines, goal % shape.spines);
          route.push_back(to_spine.there(port / ports_per_leaf * shape.spines + spine));
          route.push_back(to_spine.back(goal / ports_per_leaf * shape.spines + spine));
        }
        route.push_back(to_leaf.back(goal));
      },
      [shape, ports_per_leaf, to_leaf, to_spine](std::int64_t host, std::vector<LinkId>& route) {
        const std::int64_t port = shape.islands.port_of(host);
        route.push_back(to_leaf.there(port));
        if (shape.leaves > 1)
          route.push_back(to_spine.there(port / ports_per_leaf * shape.spines + port % shape.spines));
      });
  return made;
}

}  // namespace

BuilderSpec read_leaf_spine(models::Params& params) {
  constexpr double most_switches = 4096.0;
  BuilderSpec spec;
  Shape shape;
  shape.islands = read_islands(params, spec, NicKey::read, "each NIC's cable to its leaf switch");
  const bool by_leaf = params.has("nodes_per_leaf"), by_count = params.has("leaves");
  if (by_leaf)
    shape.nodes_per_leaf = params.count("nodes_per_leaf", {1.0, most_hosts},
                                        "nodes on a leaf, in place of leaves; leaves fill in order", 1);
  if (by_count || !by_leaf)
    shape.leaves = params.count("leaves", {1.0, most_switches}, "leaf switches; nodes fill them in order, evenly");
  shape.spines = params.count("spines", {1.0, most_switches}, "spine switches, each joined to every leaf");
  shape.uplinks = read_uplinks(params, spec, "each cable between a leaf and a spine");
  shape.spread = read_routing(params);
  if (by_leaf && by_count && !params.describing())
    params.report("nodes_per_leaf", "nodes_per_leaf and leaves say the same", "write one of them");
  if (shape.leaves > shape.islands.nodes && !params.describing()) {
    params.report("leaves", "there are more leaves than nodes",
                  "write at most leaves: " + std::to_string(shape.islands.nodes));
    shape.leaves = 1;
  }
  if (!by_leaf) shape.nodes_per_leaf = (shape.islands.nodes + shape.leaves - 1) / shape.leaves;
  shape.leaves = (shape.islands.nodes + shape.nodes_per_leaf - 1) / shape.nodes_per_leaf;
  if (static_cast<double>(shape.leaves * shape.spines) > most_hosts && !params.describing())
    params.report("spines", "leaves and spines have more than 1048576 cables between them", "lower leaves or spines");
  spec.description +=
      " under " + std::to_string(shape.leaves) + " leaves and " + std::to_string(shape.spines) + " spines";
  if (shape.uplinks.ratio) spec.description += ", " + models::shortest(*shape.uplinks.ratio) + ":1 oversubscribed";
  spec.key = "leaf_spine " + spec.key + '/' + std::to_string(shape.nodes_per_leaf) + '/' +
             std::to_string(shape.spines) + '/' + models::shortest(shape.uplinks.ratio.value_or(0.0)) +
             shape.spread.key();
  if (shape.leaves > 1 && shape.spines > 1)
    spec.not_modelled.push_back({"adaptive routing: a pair of hosts keeps its spine", "pessimistic"});
  spec.build = [shape](std::span<const LinkProperties> links) { return laid_out(shape, links); };
  return spec;
}

}  // namespace topologies
