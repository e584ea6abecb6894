// GPU i of every node on rail switch i; spines join the rails. Rails in pods: NVIDIA DGX SuperPOD reference
// architecture, RA-11333, 2023 (scalable units); without spines: Wang et al., Rail-only, HotI 2024. A message to
// another rail changes GPUs inside its own node first, as NCCL does since 2.12 (PXN: Mandakolathur and Jeaugey,
// Doubling all2all performance with NCCL 2.12, 2022), or else crosses a spine.

#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/islands.hpp"

namespace topologies {

namespace {

struct Shape {
  Islands islands;
  Uplinks uplinks;
  Spread spread;
  std::int64_t nodes_per_pod = 1, spines = 0;
  bool forwarding = true;
  std::int64_t pods() const { return (islands.nodes + nodes_per_pod - 1) / nodes_per_pod; }
  std::int64_t rails() const { return pods() * islands.gpus; }
  std::int64_t rail_of(std::int64_t host) const {
    return host / islands.gpus / nodes_per_pod * islands.gpus + host % islands.gpus;
  }
};

Blueprint laid_out(const Shape& shape, std::span<const LinkProperties> links) {
  Blueprint made;
  Fabric& fabric = made.fabric;
  const LaidIslands islands = lay_islands(shape.islands, made, links);
  std::vector<VertexId> rails, spines;
  for (std::int64_t i = 0; i < shape.rails(); ++i) {
    const std::string pod = shape.pods() > 1 ? "pod" + std::to_string(i / shape.islands.gpus) + "." : "";
    rails.push_back(fabric.add_switch(pod + "rail" + std::to_string(i % shape.islands.gpus)));
  }
  const bool joined = shape.rails() > 1 && shape.spines > 0;
  for (std::int64_t i = 0; joined && i < shape.spines; ++i)
    spines.push_back(fabric.add_switch("spine" + std::to_string(i)));

  const LinkProperties& down = links[shape.islands.inter];
  const std::int32_t cable = fabric.add_properties(down);
  const CableRun to_rail = CableRun::next(fabric, down.duplex);
  for (std::int64_t host = 0; host < shape.islands.hosts(); ++host)
    fabric.connect(islands.port(fabric, host), rails[static_cast<std::size_t>(shape.rail_of(host))], cable);
  CableRun to_spine;
  if (joined) {
    const LinkProperties up = shape.uplinks.completed(links, down, shape.nodes_per_pod, shape.spines);
    const std::int32_t uplink = fabric.add_properties(up);
    to_spine = CableRun::next(fabric, up.duplex);
    for (const VertexId rail : rails)
      for (const VertexId spine : spines) fabric.connect(rail, spine, uplink);
  }

  join_islands(
      islands, made,
      [shape, islands, to_rail, to_spine](std::int64_t from, std::int64_t to, std::vector<LinkId>& route) {
        std::int64_t leaves_at = from;
        if (shape.forwarding && from % shape.islands.gpus != to % shape.islands.gpus) {
          leaves_at = from - from % shape.islands.gpus + to % shape.islands.gpus;
          islands.pass_inside(from, leaves_at, route);
        }
        const std::int64_t rail = shape.rail_of(leaves_at), goal = shape.rail_of(to);
        route.push_back(to_rail.there(leaves_at));
        if (rail != goal) {
          const std::int64_t spine =
              shape.spread.pick(from, to, 0, shape.spines, to / shape.islands.gpus % shape.spines);
          route.push_back(to_spine.there(rail * shape.spines + spine));
          route.push_back(to_spine.back(goal * shape.spines + spine));
        }
        route.push_back(to_rail.back(to));
      },
      [shape, to_rail, to_spine, joined](std::int64_t host, std::vector<LinkId>& route) {
        route.push_back(to_rail.there(host));
        if (joined)
          route.push_back(
              to_spine.there(shape.rail_of(host) * shape.spines + host / shape.islands.gpus % shape.spines));
      });
  return made;
}

}  // namespace

BuilderSpec read_rail_optimized(models::Params& params) {
  constexpr double most_switches = 4096.0;
  BuilderSpec spec;
  Shape shape;
  shape.islands = read_islands(params, spec, NicKey::one_per_gpu, "each GPU's NIC and its cable to its rail switch");
  shape.nodes_per_pod = params.count("nodes_per_pod", {1.0, most_hosts},
                                     "nodes that share rail switches; default: all of them", shape.islands.nodes);
  shape.spines = params.count("spines", {0.0, most_switches}, "spine switches, each joined to every rail switch");
  shape.forwarding =
      params.flag("forwarding", "a message to another rail changes GPUs inside its node first (NCCL's PXN)", true);
  shape.uplinks = read_uplinks(params, spec, "each cable between a rail switch and a spine");
  shape.spread = read_routing(params);
  if (params.describing()) return spec;
  const bool needs_spine = shape.pods() > 1 || (shape.islands.gpus > 1 && shape.islands.nodes > 1 && !shape.forwarding);
  if (shape.spines == 0 && needs_spine) {
    params.report(
        "spines", "without spines, rails of several pods and messages between rails have no way",
        shape.pods() > 1 ? "write spines: 1 or more, or one pod" : "write spines: 1 or more, or forwarding: true");
    shape.spines = 1;
  }
  if (static_cast<double>(shape.rails() * shape.spines) > most_hosts)
    params.report("spines", "rails and spines have more than 1048576 cables between them", "lower spines or pods");
  const std::string spines = std::to_string(shape.spines);
  spec.description += " on " + std::to_string(shape.islands.gpus) + " rails, " + spines + " spines";
  if (shape.pods() > 1) spec.description += ", " + std::to_string(shape.pods()) + " pods";
  spec.key = "rail_optimized " + spec.key + '/' + std::to_string(shape.nodes_per_pod) + '/' + spines +
             (shape.forwarding ? " forwarding" : "") + '/' + models::shortest(shape.uplinks.ratio.value_or(0.0)) +
             shape.spread.key();
  if (shape.forwarding && shape.islands.gpus > 1)
    spec.not_modelled.push_back(
        {"a GPU that passes a message on to its rail spends no time and no memory on it (PXN)", "optimistic"});
  if (shape.spines > 1)
    spec.not_modelled.push_back({"adaptive routing: a pair of hosts keeps its spine", "pessimistic"});
  spec.build = [shape](std::span<const LinkProperties> links) { return laid_out(shape, links); };
  return spec;
}

}  // namespace topologies
