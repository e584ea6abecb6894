#include "topologies/fabric/figures.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 on an empty boost::optional of the search
#endif
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace topologies {

namespace {

constexpr int most_dense = 768;                  // rows of a matrix whose eigenvalues are computed: about a second
constexpr std::size_t most_cut_links = 400'000;  // links of a graph whose cuts are computed: seconds each

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

bool is_host(const Fabric& fabric, VertexId vertex) { return fabric.vertices()[at(vertex)].kind == Vertex::Kind::host; }

// Routes of some shapes begin at a host's NIC, which no cable joins to the host: where each host's traffic starts.
std::vector<VertexId> starts(const Fabric& fabric) {
  std::vector<VertexId> all;
  std::vector<LinkId> route;
  const int hosts = fabric.host_count();
  for (int host = 0; host < hosts; ++host) {
    all.push_back(fabric.host(host));
    for (const int other : {0, hosts - 1}) {
      route.clear();
      fabric.append_route(host, other, route);
      if (route.empty()) continue;
      const DirectedLink& first = fabric.links()[at(route.front())];
      const bool joined = first.from == fabric.host(host) || first.to == fabric.host(host);
      if (!joined) all.back() = first.from;
    }
  }
  return all;
}

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
struct Edge {
  std::int64_t capacity = 0, residual = 0;
  Traits::edge_descriptor reverse;
};
struct Corner {
  boost::default_color_type colour = boost::white_color;
  Traits::edge_descriptor predecessor;
  std::int64_t distance = 0;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, Corner, Edge>;

void join(Graph& graph, std::size_t a, std::size_t b, std::int64_t there, std::int64_t back) {
  const auto one = boost::add_edge(a, b, graph).first;
  const auto other = boost::add_edge(b, a, graph).first;
  graph[one].capacity = there;
  graph[other].capacity = back;
  graph[one].reverse = other;
  graph[other].reverse = one;
}

std::int64_t capacity(const Fabric& fabric, LinkId link) { return std::llround(fabric.capacity(link).value); }

// The smallest capacity of links whose loss parts the two halves: switches stand on whichever side is cheaper.
std::int64_t minimum_cut(const Fabric& fabric, const std::vector<VertexId>& starts_at, const std::vector<char>& side) {
  const std::size_t vertices = fabric.vertices().size(), source = vertices, sink = vertices + 1;
  Graph graph(vertices + 2);
  std::int64_t all = 1;
  for (LinkId id = 0; at(id) < fabric.links().size(); ++id) {
    const DirectedLink& link = fabric.links()[at(id)];
    const bool half = fabric.properties_of(id).duplex == Duplex::half;
    if (!half && fabric.reverse(id) < id) continue;
    const std::int64_t one_way = capacity(fabric, id);
    all += one_way;
    join(graph, at(link.from), at(link.to), one_way, one_way);
  }
  for (int host = 0; host < fabric.host_count(); ++host) {
    const std::size_t vertex = at(fabric.host(host)), start = at(starts_at[at(host)]);
    if (start != vertex) join(graph, vertex, start, all, all);
    if (side[at(host)] == 0)
      join(graph, source, vertex, all, 0);
    else
      join(graph, vertex, sink, all, 0);
  }
  return boost::boykov_kolmogorov_max_flow(
      graph, boost::get(&Edge::capacity, graph), boost::get(&Edge::residual, graph), boost::get(&Edge::reverse, graph),
      boost::get(&Corner::predecessor, graph), boost::get(&Corner::colour, graph), boost::get(&Corner::distance, graph),
      boost::get(boost::vertex_index, graph), source, sink);
}

// Laplacian of capacities: all vertices, a host and its start as one strong edge.
Eigen::MatrixXd laplacian(const Fabric& fabric, const std::vector<VertexId>& starts_at) {
  const auto size = static_cast<Eigen::Index>(fabric.vertices().size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
  const auto add = [&matrix](VertexId a, VertexId b, double weight) {
    matrix(a, a) += weight;
    matrix(b, b) += weight;
    matrix(a, b) -= weight;
    matrix(b, a) -= weight;
  };
  double strongest = 0.0;
  for (LinkId id = 0; at(id) < fabric.links().size(); ++id) {
    const bool half = fabric.properties_of(id).duplex == Duplex::half;
    if (!half && fabric.reverse(id) < id) continue;
    const double weight = fabric.capacity(id).value;
    strongest = std::max(strongest, weight);
    add(fabric.links()[at(id)].from, fabric.links()[at(id)].to, weight);
  }
  for (int host = 0; host < fabric.host_count(); ++host)
    if (starts_at[at(host)] != fabric.host(host)) add(fabric.host(host), starts_at[at(host)], strongest);
  return matrix;
}

// Halves by number: the first half, and blocks of 1, 2, 4 ... by turns; those that are halves.
std::vector<std::vector<char>> numbered_halves(int hosts) {
  std::vector<std::vector<char>> all;
  const auto keep = [&](auto on_side) {
    std::vector<char> side(at(hosts));
    int count = 0;
    for (int host = 0; host < hosts; ++host) count += side[at(host)] = on_side(host) ? 1 : 0;
    if (std::abs(2 * count - hosts) <= 1) all.push_back(std::move(side));
  };
  keep([hosts](int host) { return host >= hosts - hosts / 2; });
  for (int block = 1; block < hosts / 2; block *= 2) keep([block](int host) { return host / block % 2 == 1; });
  return all;
}

// The half of the hosts with the larger entries of an eigenvector (Fiedler, 1973).
std::vector<char> split(const Fabric& fabric, const Eigen::VectorXd& vector) {
  std::vector<std::pair<double, int>> order;
  for (int host = 0; host < fabric.host_count(); ++host) order.emplace_back(vector(fabric.host(host)), host);
  std::sort(order.begin(), order.end());
  std::vector<char> side(order.size());
  for (std::size_t i = order.size() - order.size() / 2; i < order.size(); ++i) side[at(order[i].second)] = 1;
  return side;
}

std::optional<Bisection> bisection(const Fabric& fabric) {
  const int hosts = fabric.host_count();
  if (hosts < 2 || fabric.links().size() > most_cut_links) return std::nullopt;
  constexpr int eigenvectors = 3;  // the slowest mixing ones
  const std::vector<VertexId> starts_at = starts(fabric);
  Bisection result;
  std::vector<std::vector<char>> halves = numbered_halves(hosts);
  if (static_cast<int>(fabric.vertices().size()) <= most_dense) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(laplacian(fabric, starts_at));
    for (Eigen::Index i = 1; i <= eigenvectors && i < solved.eigenvalues().size(); ++i)
      halves.push_back(split(fabric, solved.eigenvectors().col(i)));
    if (static_cast<int>(fabric.vertices().size()) == hosts) {
      const double one = hosts / 2, other = hosts - hosts / 2;
      result.at_least = BytesPerSecond{std::max(0.0, solved.eigenvalues()(1)) * one * other / hosts};
    }
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<char>& side : halves) least = std::min(least, minimum_cut(fabric, starts_at, side));
  result.halvings = static_cast<int>(halves.size());
  result.at_most = BytesPerSecond{static_cast<double>(least)};
  return result;
}

HostGraph host_graph(const Fabric& fabric) {
  std::set<VertexId> joined;
  for (const DirectedLink& link : fabric.links())
    if (is_host(fabric, link.from) && is_host(fabric, link.to)) {
      joined.insert(link.from);
      joined.insert(link.to);
    }
  return static_cast<int>(joined.size()) == fabric.host_count() ? HostGraph::cables : HostGraph::all_pairs;
}

std::optional<double> spectral_gap(const Fabric& fabric, HostGraph graph) {
  const int hosts = fabric.host_count();
  if (graph == HostGraph::all_pairs) return 1.0;  // every weight is 1/n
  if (hosts > most_dense) return std::nullopt;
  const std::vector<double> weights = mixing_matrix(fabric, graph);
  const Eigen::Map<const Eigen::MatrixXd> matrix(weights.data(), hosts, hosts);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(matrix, Eigen::EigenvaluesOnly);
  const Eigen::VectorXd& values = solved.eigenvalues();  // rising
  return 1.0 - std::max(std::abs(values(0)), std::abs(values(hosts - 2)));
}

// All pairs of few hosts; of many, a grid of pairs and all ways to host 0.
void measure_routes(const Fabric& fabric, Figures& result) {
  constexpr int most = 256;
  const int hosts = fabric.host_count();
  const int step = std::max(1, hosts / most);
  std::int64_t links = 0;
  std::vector<LinkId> route;
  const auto length = [&](int from, int to) {
    route.clear();
    fabric.append_route(from, to, route);
    result.longest_route = std::max(result.longest_route, static_cast<std::int64_t>(route.size()));
    return static_cast<std::int64_t>(route.size());
  };
  result.all_pairs = step == 1;
  for (int i = 0; i < hosts; i += step)
    for (int j = 0; j < hosts; j += step) {
      // Off the grid's own lines: regular shapes would repeat themselves.
      const auto shift = static_cast<int>(step == 1 ? 0 : hashed_index(1, i, j, 0, step));
      const int from = std::min(i + shift, hosts - 1);
      if (from == j) continue;
      links += length(from, j);
      ++result.pairs;
    }
  for (int from = 1; step > 1 && from < hosts; ++from) length(from, 0);
  result.average_route = result.pairs > 0 ? static_cast<double>(links) / static_cast<double>(result.pairs) : 0.0;
}

}  // namespace

bool Bisection::exact() const {
  constexpr double rounding = 1e-9;
  return at_least && at_least->value >= at_most.value * (1.0 - rounding);
}

std::vector<double> mixing_matrix(const Fabric& fabric, HostGraph graph) {
  const int hosts = fabric.host_count();
  std::map<VertexId, int> number;
  for (int host = 0; host < hosts; ++host) number[fabric.host(host)] = host;
  std::vector<std::set<int>> neighbours(at(hosts));
  for (const DirectedLink& link : fabric.links())
    if (is_host(fabric, link.from) && is_host(fabric, link.to)) {
      neighbours[at(number[link.from])].insert(number[link.to]);
      neighbours[at(number[link.to])].insert(number[link.from]);
    }
  for (int host = 0; graph == HostGraph::all_pairs && host < hosts; ++host)
    for (int other = 0; other < hosts; ++other)
      if (other != host) neighbours[at(host)].insert(other);
  std::vector<double> weights(at(hosts) * at(hosts));
  for (int host = 0; host < hosts; ++host) {
    double kept = 1.0;
    for (const int other : neighbours[at(host)]) {
      const double weight =
          1.0 / (1.0 + static_cast<double>(std::max(neighbours[at(host)].size(), neighbours[at(other)].size())));
      weights[at(host) * at(hosts) + at(other)] = weight;
      kept -= weight;
    }
    weights[at(host) * at(hosts) + at(host)] = kept;
  }
  return weights;
}

Figures figures(const Fabric& fabric) {
  Figures result;
  result.hosts = fabric.host_count();
  result.switches = static_cast<int>(fabric.vertices().size()) - result.hosts;
  result.cables = fabric.links().empty() ? 0 : fabric.links().back().cable + 1;
  measure_routes(fabric, result);
  result.bisection = bisection(fabric);
  result.host_graph = host_graph(fabric);
  result.spectral_gap = spectral_gap(fabric, result.host_graph);
  return result;
}

}  // namespace topologies
