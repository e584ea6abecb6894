// Hosts on a graph of few cables and short ways. random_regular: a circulant graph shuffled by swapping the ends of
// random pairs of edges (Milo et al., On the uniform generation of random graphs with prescribed degree sequences,
// 2003). exponential: host i joined to i + 1, 2, 4, 8 ... (Assran et al., ICML 2019; Ying et al., NeurIPS 2021).

#include <algorithm>
#include <array>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/base/random.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

namespace {

struct Edges {
  std::vector<std::vector<int>> neighbours;
  std::vector<std::pair<int, int>> all;

  bool joined(int a, int b) const {
    const auto& of = neighbours[static_cast<std::size_t>(a)];
    return std::find(of.begin(), of.end(), b) != of.end();
  }
  void replace(int at, int old_end, int new_end) {
    auto& of = neighbours[static_cast<std::size_t>(at)];
    *std::find(of.begin(), of.end(), old_end) = new_end;
  }
  bool connected() const {
    std::vector<char> seen(neighbours.size());
    std::vector<int> open{0};
    seen[0] = 1;
    std::size_t count = 1;
    while (!open.empty()) {
      const int here = open.back();
      open.pop_back();
      for (const int next : neighbours[static_cast<std::size_t>(here)])
        if (seen[static_cast<std::size_t>(next)] == 0) {
          seen[static_cast<std::size_t>(next)] = 1;
          ++count;
          open.push_back(next);
        }
    }
    return count == neighbours.size();
  }
};

Edges circulant(int hosts, int degree) {
  Edges edges;
  edges.neighbours.resize(static_cast<std::size_t>(hosts));
  const auto join = [&edges](int a, int b) {
    edges.all.emplace_back(a, b);
    edges.neighbours[static_cast<std::size_t>(a)].push_back(b);
    edges.neighbours[static_cast<std::size_t>(b)].push_back(a);
  };
  for (int step = 1; step <= degree / 2; ++step)
    for (int host = 0; host < hosts; ++host) join(host, (host + step) % hosts);
  for (int host = 0; degree % 2 == 1 && host < hosts / 2; ++host) join(host, host + hosts / 2);
  return edges;
}

// a-b and c-d become a-d and c-b where that makes neither a loop nor a second edge.
void shuffle(Edges& edges, models::Stream& stream) {
  constexpr std::size_t swaps_per_edge = 10;  // attempts; Milo et al. find the figures of the graph settled by then
  const std::size_t count = edges.all.size();
  for (std::size_t i = 0; i < swaps_per_edge * count; ++i) {
    std::pair<int, int>& one = edges.all[stream.index(count)];
    std::pair<int, int>& other = edges.all[stream.index(count)];
    const auto [a, b] = one;
    const auto [c, d] = stream.word() % 2 == 0 ? other : std::pair(other.second, other.first);
    if (a == c || a == d || b == c || b == d || edges.joined(a, d) || edges.joined(c, b)) continue;
    edges.replace(a, b, d);
    edges.replace(b, a, c);
    edges.replace(c, d, b);
    edges.replace(d, c, a);
    one = {a, d};
    other = {c, b};
  }
}

Edges random_regular(int hosts, int degree, std::uint64_t seed) {
  constexpr std::uint32_t owner = 0xFFFFFFFF;  // no host: routes of the same seed draw from other counters
  models::Stream stream(seed, models::Purpose::routing, owner, 0);
  Edges edges = circulant(hosts, degree);
  do shuffle(edges, stream);
  while (!edges.connected());  // degree 3 and more: almost surely the first
  std::sort(edges.all.begin(), edges.all.end());
  return edges;
}

// One of the steps of an exponential graph, and where its cables lie.
struct Step {
  std::int64_t size = 1;
  CableRun cables;
};
std::vector<std::int64_t> exponential_steps(std::int64_t hosts) {
  std::vector<std::int64_t> steps;
  for (std::int64_t size = 1; size < hosts; size *= 2)
    if (std::find(steps.begin(), steps.end(), hosts - size) == steps.end()) steps.push_back(size);
  return steps;
}

struct Circle {
  std::int64_t hosts = 1;
  Spread spread;
  std::vector<Step> steps;
  std::vector<int> far;  // by difference of host numbers: the fewest steps

  std::int64_t wrapped(std::int64_t i) const { return (i % hosts + hosts) % hosts; }
  LinkId up(const Step& step, std::int64_t host) const {
    return 2 * step.size == hosts && host >= step.size ? step.cables.back(host - step.size) : step.cables.there(host);
  }
  LinkId down(const Step& step, std::int64_t host) const {
    if (2 * step.size == hosts) return up(step, host);
    return step.cables.back(wrapped(host - step.size));
  }
  void append(std::int64_t from, std::int64_t to, std::vector<LinkId>& route) const {
    std::vector<std::pair<LinkId, std::int64_t>> nearer;
    std::uint32_t stage = 0;
    for (std::int64_t here = from; here != to; ++stage) {
      nearer.clear();
      const int left = far[static_cast<std::size_t>(wrapped(to - here))];
      for (const Step& step : steps)
        for (const bool goes_up : {true, false}) {
          const std::int64_t next = wrapped(goes_up ? here + step.size : here - step.size);
          if (far[static_cast<std::size_t>(wrapped(to - next))] < left)
            nearer.emplace_back(goes_up ? up(step, here) : down(step, here), next);
        }
      const auto count = static_cast<std::int64_t>(nearer.size());
      const auto& way = nearer[static_cast<std::size_t>(spread.pick(from, to, stage, count, to % count))];
      route.push_back(way.first);
      here = way.second;
    }
  }
};

std::vector<int> distances(const Circle& circle) {
  std::vector<int> far(static_cast<std::size_t>(circle.hosts), -1);
  std::vector<std::int64_t> layer{0}, next;
  far[0] = 0;
  for (int distance = 1; !layer.empty(); ++distance, layer.swap(next), next.clear())
    for (const std::int64_t here : layer)
      for (const Step& step : circle.steps)
        for (const std::int64_t there : {circle.wrapped(here + step.size), circle.wrapped(here - step.size)})
          if (far[static_cast<std::size_t>(there)] < 0) {
            far[static_cast<std::size_t>(there)] = distance;
            next.push_back(there);
          }
  return far;
}

struct Shape {
  int hosts = 2, degree = 3;
  bool random = true;
  std::uint64_t seed = 1;
  Spread spread;
};

Blueprint laid_out(const Shape& shape, const std::vector<int>& node, const LinkProperties& link) {
  Blueprint made;
  Fabric& fabric = made.fabric;
  made.node = node;
  for (int host = 0; host < shape.hosts; ++host) fabric.add_host("host" + std::to_string(host));
  const std::int32_t properties = fabric.add_properties(link);
  if (shape.random) {
    for (const auto& [a, b] : random_regular(shape.hosts, shape.degree, shape.seed).all)
      fabric.connect(fabric.host(a), fabric.host(b), properties);
    fabric.set_forwarding(Forwarding::hosts_too);
    fabric.set_spread(shape.spread);
    return made;
  }
  Circle circle;
  circle.hosts = shape.hosts;
  circle.spread = shape.spread;
  for (const std::int64_t size : exponential_steps(shape.hosts)) {
    circle.steps.push_back({size, CableRun::next(fabric, link.duplex)});
    for (int host = 0; host < (2 * size == shape.hosts ? shape.hosts / 2 : shape.hosts); ++host)
      fabric.connect(fabric.host(host), fabric.host(static_cast<int>(circle.wrapped(host + size))), properties);
  }
  circle.far = distances(circle);
  fabric.set_route_rule([circle](int from, int to, std::vector<LinkId>& route) { circle.append(from, to, route); });
  return made;
}

void check_degree(Shape& shape, models::Params& params) {
  const bool odd = shape.degree % 2 == 1 && shape.hosts % 2 == 1;
  const bool small = shape.degree < 3 && shape.hosts > shape.degree + 1;
  if (shape.degree >= shape.hosts || odd || small)
    params.report("degree",
                  shape.degree >= shape.hosts ? "a host has at most as many neighbours as there are other hosts"
                  : odd                       ? "an odd number of hosts cannot all have an odd number of neighbours"
                                              : "a random graph of degree 1 or 2 falls apart",
                  small ? "write 3 or more, or shape: ring" : "nodes x degree is even, degree is below nodes");
}

}  // namespace

BuilderSpec read_expander(models::Params& params) {
  constexpr std::array<std::string_view, 2> kinds{"random_regular", "exponential"};
  constexpr double most_degree = 1024.0;
  constexpr std::int64_t usual_degree = 4;
  Shape shape;
  shape.random = params.choice("kind", kinds, "random_regular, or exponential: i joined to i + 1, 2, 4, 8 ...", 0) == 0;
  shape.hosts = static_cast<int>(params.count("nodes", {2.0, most_hosts}, "hosts"));
  if (shape.random) {
    shape.degree =
        static_cast<int>(params.count("degree", {1.0, most_degree}, "cables of a host (random_regular)", usual_degree));
    shape.seed = static_cast<std::uint64_t>(
        params.count("seed", {0.0, largest_seed}, "draws the graph (random_regular); not the scenario's seed", 1));
  }
  LinkWish link = read_link(params, "link", "the cable between neighbours");
  std::vector<int> node = read_grouping(params, shape.hosts);
  shape.spread = read_routing(params);
  if (shape.random && !params.describing()) check_degree(shape, params);
  BuilderSpec spec;
  spec.hosts = shape.hosts;
  spec.nodes = node_count(node);
  spec.links = {std::move(link)};
  const std::string hosts = std::to_string(shape.hosts);
  spec.description = shape.random ? "random graph of " + hosts + ", degree " + std::to_string(shape.degree)
                                  : "exponential graph of " + hosts;
  spec.key = "expander " + spec.description + '/' + std::to_string(spec.nodes) +
             (shape.random ? " seed " + std::to_string(shape.seed) : "") + shape.spread.key();
  spec.build = [shape, node = std::move(node)](std::span<const LinkProperties> links) {
    return laid_out(shape, node, links[0]);
  };
  return spec;
}

}  // namespace topologies
