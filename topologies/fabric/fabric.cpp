#include "topologies/fabric/fabric.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <limits>
#include <utility>

#include "models/base/error.hpp"

namespace topologies {

namespace {

using models::ensure;

constexpr LinkId no_link = -1;
constexpr std::int32_t unreached = std::numeric_limits<std::int32_t>::max();

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// Both ways of a half-duplex cable are the one link from `from` to `to`, so a link alone does not tell its direction.
template <class Visit>
void for_each_way(const DirectedLink& link, Duplex duplex, Visit visit) {
  visit(link.from, link.to);
  if (duplex == Duplex::half) visit(link.to, link.from);
}

// Walking back from a target, a vertex is left again only when it may pass traffic on.
struct Leaves {
  const std::vector<char>* passes = nullptr;
  template <class Edge>
  bool operator()(const Edge& edge) const {
    return (*passes)[static_cast<std::size_t>(edge.src)] != 0;
  }
};

}  // namespace

VertexId Fabric::add_vertex(std::string name, Vertex::Kind kind) {
  vertices_.push_back({std::move(name), kind});
  return static_cast<VertexId>(vertices_.size()) - 1;
}

VertexId Fabric::add_host(std::string name) {
  hosts_.push_back(add_vertex(std::move(name), Vertex::Kind::host));
  return hosts_.back();
}

VertexId Fabric::add_switch(std::string name) { return add_vertex(std::move(name), Vertex::Kind::network_switch); }

std::int32_t Fabric::add_properties(LinkProperties properties) {
  ensure(properties.bandwidth.value > 0.0 && properties.latency.value >= 0.0, "a link has a bandwidth and a latency");
  properties_.push_back(std::move(properties));
  return static_cast<std::int32_t>(properties_.size()) - 1;
}

LinkId Fabric::connect(VertexId a, VertexId b, std::int32_t properties) {
  ensure(a != b && a >= 0 && b >= 0 && at(std::max(a, b)) < vertices_.size(),
         "a cable joins two vertices of the fabric");
  const std::int32_t cable = links_.empty() ? 0 : links_.back().cable + 1;
  const LinkId first = static_cast<LinkId>(links_.size());
  links_.push_back({a, b, properties, cable});
  if (properties_[at(properties)].duplex == Duplex::full) links_.push_back({b, a, properties, cable});
  return first;
}

const LinkProperties& Fabric::properties_of(LinkId link) const { return properties_[at(links_[at(link)].properties)]; }

std::string Fabric::link_name(LinkId link) const {
  const DirectedLink& ends = links_[at(link)];
  const LinkProperties& properties = properties_of(link);
  const char* arrow = properties.duplex == Duplex::half ? " -- " : " -> ";
  return vertices_[at(ends.from)].name + arrow + vertices_[at(ends.to)].name + " (" + properties.name + ")";
}

BytesPerSecond Fabric::capacity(LinkId link) const {
  const LinkProperties& properties = properties_of(link);
  return properties.bandwidth * properties.transport.goodput;
}

LinkId Fabric::reverse(LinkId link) const {
  if (properties_of(link).duplex == Duplex::half) return link;
  const bool second = link > 0 && links_[at(link) - 1].cable == links_[at(link)].cable;
  return second ? link - 1 : link + 1;
}

Route Fabric::route(int from_host, int to_host) const {
  Route route;
  if (from_host == to_host) return route;
  if (rule_)
    rule_(from_host, to_host, route.links);
  else
    shortest_path(host(from_host), host(to_host), route.links);
  for (const LinkId link : route.links) route.latency += properties_of(link).latency;
  const auto lower = [&route](BytesPerSecond ceiling) {
    if (!route.ceiling || ceiling < *route.ceiling) route.ceiling = ceiling;
  };
  for (const LinkId link : route.links) {
    const Transport& transport = properties_of(link).transport;
    route.start_up = std::max(route.start_up, transport.start_up);
    if (transport.flow_ceiling) lower(*transport.flow_ceiling * transport.flows_per_peer);
    if (transport.window && route.latency.value > 0.0)
      lower(*transport.window * transport.flows_per_peer / (route.latency * 2.0));
  }
  return route;
}

// Hosts behind one cable share the table of their switch, so there are as many tables as switches.
void Fabric::shortest_path(VertexId from, VertexId to, std::vector<LinkId>& links) const {
  const LinkId last = only_link(to);
  const VertexId neighbour = last == no_link               ? to
                             : links_[at(last)].from == to ? links_[at(last)].to
                                                           : links_[at(last)].from;
  const bool behind_switch = vertices_[at(neighbour)].kind == Vertex::Kind::network_switch;
  const VertexId target = behind_switch ? neighbour : to;
  const std::vector<LinkId>& next = next_links(target);
  for (VertexId here = from; here != target;) {
    const LinkId link = next[at(here)];
    ensure(link != no_link, "routes are asked between hosts that reach each other");
    links.push_back(link);
    here = links_[at(link)].from == here ? links_[at(link)].to : links_[at(link)].from;
  }
  if (behind_switch) links.push_back(last);
}

// The only link that leads to a vertex with one cable.
LinkId Fabric::only_link(VertexId to) const {
  if (only_links_.empty()) {
    only_links_.assign(vertices_.size(), no_link);
    std::vector<int> cables(vertices_.size());
    for (LinkId id = 0; at(id) < links_.size(); ++id)
      for_each_way(links_[at(id)], properties_of(id).duplex, [&](VertexId, VertexId end) {
        ++cables[at(end)];
        only_links_[at(end)] = cables[at(end)] == 1 ? id : no_link;
      });
  }
  return only_links_[at(to)];
}

const std::vector<LinkId>& Fabric::next_links(VertexId target) const {
  const auto known = next_links_.find(target);
  if (known != next_links_.end()) return known->second;

  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                   boost::no_property, std::int32_t>;
  std::vector<std::pair<std::int32_t, std::int32_t>> back;
  for (const DirectedLink& link : links_)
    for_each_way(link, properties_[at(link.properties)].duplex,
                 [&back](VertexId from, VertexId to) { back.emplace_back(to, from); });
  const Graph graph(boost::edges_are_unsorted_multi_pass, back.begin(), back.end(),
                    static_cast<std::int32_t>(vertices_.size()));

  std::vector<char> passes(vertices_.size());
  for (std::size_t v = 0; v < passes.size(); ++v)
    passes[v] =
        vertices_[v].kind == Vertex::Kind::network_switch || forwarding_ == Forwarding::hosts_too || v == at(target);
  const boost::filtered_graph<Graph, Leaves> walk(graph, Leaves{&passes});

  std::vector<std::int32_t> distance(vertices_.size(), unreached);
  distance[at(target)] = 0;
  const auto index = boost::get(boost::vertex_index, graph);
  boost::breadth_first_search(walk, target,
                              boost::visitor(boost::make_bfs_visitor(boost::record_distances(
                                  boost::make_iterator_property_map(distance.begin(), index), boost::on_tree_edge()))));

  std::vector<LinkId> next(vertices_.size(), no_link);
  for (LinkId id = 0; at(id) < links_.size(); ++id)
    for_each_way(links_[at(id)], properties_of(id).duplex, [&](VertexId from, VertexId to) {
      const bool nearer = passes[at(to)] && distance[at(to)] != unreached && distance[at(from)] == distance[at(to)] + 1;
      if (nearer && next[at(from)] == no_link) next[at(from)] = id;
    });
  return next_links_.emplace(target, std::move(next)).first->second;
}

std::optional<int> Fabric::unreachable_host() const {
  if (host_count() == 0) return {};
  for (int other = 1; other < host_count(); ++other) {
    if (rule_ ? route(other, 0).links.empty() : next_links(host(0))[at(host(other))] == no_link) return other;
  }
  return {};
}

}  // namespace topologies
