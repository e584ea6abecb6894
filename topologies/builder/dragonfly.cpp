// Groups of routers: inside a group every router is joined to every other, and every two groups are joined by the same
// number of global links. Kim, Dally, Scott and Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008.
// Minimal routes take at most one global link; Valiant's go through a random third group (Valiant, SIAM J. Computing
// 1982; section 4 of Kim et al.).

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/islands.hpp"

namespace topologies {

namespace {

struct Shape {
  Islands islands;
  std::optional<std::size_t> local, global;  // places of the links; absent: as inter_node
  std::int64_t groups = 1, routers = 1, global_ports = 1, nodes_per_router = 1;
  Spread spread;
  std::optional<std::uint64_t> valiant;
  CableRun to_router, inside, between;

  // Global links of every two groups.
  std::int64_t rounds() const { return groups > 1 ? routers * global_ports / (groups - 1) : 0; }
  std::int64_t router_of(std::int64_t port) const { return port / (nodes_per_router * islands.nics); }
  // The router of `group` that holds its link number `round` to `other`. Its link numbers count distances round the
  // circle of groups.
  std::int64_t gateway(std::int64_t group, std::int64_t other, std::int64_t round) const {
    const std::int64_t port = (other - group + groups) % groups - 1 + round * (groups - 1);
    return group * routers + port / global_ports;
  }
  void hop_inside(std::int64_t from, std::int64_t to, std::vector<LinkId>& route) const {
    if (from == to) return;
    const std::int64_t first = from / routers * (routers * (routers - 1) / 2);
    const std::int64_t a = from % routers, b = to % routers;
    route.push_back(a < b ? inside.there(first + cable_between(a, b, routers))
                          : inside.back(first + cable_between(b, a, routers)));
  }
  // From a router to the router where the global link ends.
  std::int64_t hop_between(std::int64_t from, std::int64_t group, std::int64_t round,
                           std::vector<LinkId>& route) const {
    const std::int64_t here = from / routers;
    hop_inside(from, gateway(here, group, round), route);
    const std::int64_t a = std::min(here, group), b = std::max(here, group);
    const std::int64_t cable = cable_between(a, b, groups) * rounds() + round;
    route.push_back(here < group ? between.there(cable) : between.back(cable));
    return gateway(group, here, round);
  }
};

// The pair of hosts decides among equally short ways.
std::int64_t chosen(const Shape& shape, std::int64_t from, std::int64_t to, std::uint32_t stage,
                    const std::vector<std::int64_t>& ties) {
  const auto count = static_cast<std::int64_t>(ties.size());
  return ties[static_cast<std::size_t>(shape.spread.pick(from, to, stage, count, to % count))];
}

// Of all links between the two groups, one whose gateways cost the fewest hops.
std::int64_t nearest_round(const Shape& shape, std::int64_t from, std::int64_t to, std::int64_t a, std::int64_t b) {
  std::vector<std::int64_t> ties;
  int best = std::numeric_limits<int>::max();
  for (std::int64_t round = 0; round < shape.rounds(); ++round) {
    const int hops = (shape.gateway(a / shape.routers, b / shape.routers, round) != a) +
                     (shape.gateway(b / shape.routers, a / shape.routers, round) != b);
    if (hops < best) ties.clear();
    best = std::min(best, hops);
    if (hops == best) ties.push_back(round);
  }
  return chosen(shape, from, to, 0, ties);
}

// Through a third group, the same for both directions of a pair, so that they are equally long.
void by_third_group(const Shape& shape, std::int64_t from, std::int64_t to, std::int64_t a, std::int64_t b,
                    std::vector<LinkId>& route) {
  constexpr std::uint32_t stage_of_group = 1, stage_of_links = 2;
  const std::int64_t first = a / shape.routers, last = b / shape.routers;
  std::int64_t third =
      hashed_index(*shape.valiant, std::min(from, to), std::max(from, to), stage_of_group, shape.groups - 2);
  for (const std::int64_t taken : {std::min(first, last), std::max(first, last)}) third += third >= taken ? 1 : 0;
  std::vector<std::int64_t> ties;
  int best = std::numeric_limits<int>::max();
  for (std::int64_t i = 0; i < shape.rounds() * shape.rounds(); ++i) {
    const std::int64_t in = i / shape.rounds(), out = i % shape.rounds();
    const int hops = (shape.gateway(first, third, in) != a) +
                     (shape.gateway(third, first, in) != shape.gateway(third, last, out)) +
                     (shape.gateway(last, third, out) != b);
    if (hops < best) ties.clear();
    best = std::min(best, hops);
    if (hops == best) ties.push_back(i);
  }
  const std::int64_t links = chosen(shape, from, to, stage_of_links, ties);
  const std::int64_t middle = shape.hop_between(a, third, links / shape.rounds(), route);
  shape.hop_inside(shape.hop_between(middle, last, links % shape.rounds(), route), b, route);
}

void append(const Shape& shape, std::int64_t from, std::int64_t to, std::vector<LinkId>& route) {
  const std::int64_t port = shape.islands.port_of(from), goal = shape.islands.port_of(to);
  const std::int64_t a = shape.router_of(port), b = shape.router_of(goal);
  route.push_back(shape.to_router.there(port));
  if (a / shape.routers == b / shape.routers)
    shape.hop_inside(a, b, route);
  else if (shape.valiant && shape.groups > 2)
    by_third_group(shape, from, to, a, b, route);
  else
    shape.hop_inside(shape.hop_between(a, b / shape.routers, nearest_round(shape, from, to, a, b), route), b, route);
  route.push_back(shape.to_router.back(goal));
}

Blueprint laid_out(Shape shape, std::span<const LinkProperties> links) {
  Blueprint made;
  Fabric& fabric = made.fabric;
  const LaidIslands islands = lay_islands(shape.islands, made, links);
  const LinkProperties& down = links[shape.islands.inter];
  const auto named = [&](const std::optional<std::size_t>& place, const char* name) {
    LinkProperties link = place ? links[*place] : down;
    link.name = name;
    return link;
  };
  std::vector<VertexId> routers;
  for (std::int64_t i = 0; i < shape.groups * shape.routers; ++i)
    routers.push_back(
        fabric.add_switch("group" + std::to_string(i / shape.routers) + ".router" + std::to_string(i % shape.routers)));
  const auto router = [&routers](std::int64_t i) { return routers[static_cast<std::size_t>(i)]; };
  std::int32_t cable = fabric.add_properties(down);
  shape.to_router = CableRun::next(fabric, down.duplex);
  for (std::int64_t port = 0; port < shape.islands.ports(); ++port)
    fabric.connect(islands.port(fabric, port), router(shape.router_of(port)), cable);
  if (shape.routers > 1) {
    const LinkProperties local = named(shape.local, "local");
    cable = fabric.add_properties(local);
    shape.inside = CableRun::next(fabric, local.duplex);
    for (std::int64_t group = 0; group < shape.groups; ++group)
      for (std::int64_t i = 0; i < shape.routers; ++i)
        for (std::int64_t j = i + 1; j < shape.routers; ++j)
          fabric.connect(router(group * shape.routers + i), router(group * shape.routers + j), cable);
  }
  if (shape.groups > 1) {
    const LinkProperties global = named(shape.global, "global");
    cable = fabric.add_properties(global);
    shape.between = CableRun::next(fabric, global.duplex);
    for (std::int64_t a = 0; a < shape.groups; ++a)
      for (std::int64_t b = a + 1; b < shape.groups; ++b)
        for (std::int64_t round = 0; round < shape.rounds(); ++round)
          fabric.connect(router(shape.gateway(a, b, round)), router(shape.gateway(b, a, round)), cable);
  }
  join_islands(
      islands, made,
      [shape](std::int64_t from, std::int64_t to, std::vector<LinkId>& route) { append(shape, from, to, route); },
      [shape](std::int64_t host, std::vector<LinkId>& route) {
        route.push_back(shape.to_router.there(shape.islands.port_of(host)));
      });
  return made;
}

// Key routing: {ecmp: SEED}, {valiant: SEED} or both.
void read_ways(Shape& shape, models::Params& params) {
  auto routing = params.optional_section("routing", "how pairs spread over ways; default: minimal, by destination");
  if (!routing) return;
  const auto seed = [&](std::string_view key, std::string_view help) -> std::optional<std::uint64_t> {
    if (!routing->has(key)) return std::nullopt;
    return static_cast<std::uint64_t>(routing->count(key, {0.0, largest_seed}, help));
  };
  const auto ecmp = seed("ecmp", "seed of a hash of (source, destination) that picks among equal ways");
  shape.valiant = seed("valiant", "seed of a hash that sends every pair between groups through a third group");
  if (ecmp) shape.spread = Spread(*ecmp);
  if (!ecmp && !shape.valiant)
    params.report("routing", "routing names no rule", "write routing: {ecmp: 1} or {valiant: 1}");
}

std::optional<std::size_t> read_level(models::Params& params, BuilderSpec& spec, std::string_view key,
                                      std::string_view help) {
  if (!params.has(key)) return std::nullopt;
  spec.links.push_back(read_link(params, key, help));
  return spec.links.size() - 1;
}

}  // namespace

BuilderSpec read_dragonfly(models::Params& params) {
  constexpr double most_routers = 4096.0, most_ports = 1024.0;
  BuilderSpec spec;
  Shape shape;
  shape.islands = read_islands(params, spec, NicKey::read, "each NIC's cable to its router");
  shape.groups = params.count("groups", {1.0, most_routers}, "groups (g)");
  shape.routers = params.count("routers_per_group", {1.0, most_ports}, "routers of a group (a), all joined");
  shape.global_ports =
      params.count("global_links_per_router", {1.0, most_ports}, "ports of a router towards other groups (h)", 1);
  shape.local = read_level(params, spec, "local", "each cable inside a group; default: as inter_node");
  shape.global = read_level(params, spec, "global", "each cable between groups; default: as inter_node");
  read_ways(shape, params);
  const std::int64_t routers = shape.groups * shape.routers;
  shape.nodes_per_router = (shape.islands.nodes + routers - 1) / routers;
  if (!params.describing()) {
    if (shape.groups > 1 && shape.rounds() == 0) {
      params.report("groups",
                    "a group has " + std::to_string(shape.routers * shape.global_ports) +
                        " global links, fewer than there are other groups",
                    "at most routers_per_group x global_links_per_router + 1 groups");
      shape.groups = 1;
    }
    const double cables =
        static_cast<double>(routers) * static_cast<double>((shape.routers - 1) / 2 + shape.global_ports);
    if (cables > 2.0 * most_hosts)
      params.report("routers_per_group", "the routers have more than 2097152 cables between them",
                    "lower groups, routers_per_group or global_links_per_router");
  }
  spec.description +=
      ", dragonfly of " + std::to_string(shape.groups) + " x " + std::to_string(shape.routers) + " routers";
  spec.key = "dragonfly " + spec.key + '/' + std::to_string(shape.groups) + '/' + std::to_string(shape.routers) + '/' +
             std::to_string(shape.global_ports) + shape.spread.key() +
             (shape.valiant ? " valiant " + std::to_string(*shape.valiant) : "") + (shape.local ? " local" : "") +
             (shape.global ? " global" : "");
  if (shape.groups > 1)
    spec.not_modelled.push_back(
        {shape.valiant ? "adaptive routing: every pair takes the long way, loaded or not (UGAL would choose)"
                       : "adaptive routing: a pair keeps its minimal way when it is loaded (UGAL would detour)",
         "pessimistic"});
  spec.build = [shape](std::span<const LinkProperties> links) { return laid_out(shape, links); };
  return spec;
}

}  // namespace topologies
