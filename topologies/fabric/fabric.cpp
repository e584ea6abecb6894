#include "topologies/fabric/fabric.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"

namespace topologies {

namespace {

using models::ensure;

constexpr LinkId no_link = -1;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

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

LinkId Fabric::add_limit(VertexId vertex, std::int32_t properties) {
  ensure(properties_[at(properties)].latency.value == 0.0 && properties_[at(properties)].duplex == Duplex::half,
         "a limit takes no time and has one direction");
  limit_of_.resize(vertices_.size(), no_link);
  ensure(limit_of_[at(vertex)] == no_link, "a vertex has one limit");
  const std::int32_t cable = links_.empty() ? 0 : links_.back().cable + 1;
  links_.push_back({vertex, vertex, properties, cable});
  return limit_of_[at(vertex)] = static_cast<LinkId>(links_.size()) - 1;
}

// Puts the limit of every vertex on the way between the links that meet there.
void Fabric::cross_limits(VertexId from, std::vector<LinkId>& links) const {
  const auto limit = [this](VertexId vertex) {
    return at(vertex) < limit_of_.size() ? limit_of_[at(vertex)] : no_link;
  };
  std::vector<LinkId> all;
  VertexId here = from;
  if (limit(here) != no_link) all.push_back(limit(here));
  for (const LinkId link : links) {
    all.push_back(link);
    here = links_[at(link)].from == here ? links_[at(link)].to : links_[at(link)].from;
    if (limit(here) != no_link) all.push_back(limit(here));
  }
  links.swap(all);
}

const LinkProperties& Fabric::properties_of(LinkId link) const { return properties_[at(links_[at(link)].properties)]; }

std::string Fabric::link_name(LinkId link) const {
  const DirectedLink& ends = links_[at(link)];
  const LinkProperties& properties = properties_of(link);
  if (ends.from == ends.to) return vertices_[at(ends.from)].name + " (" + properties.name + ")";
  const char* arrow = properties.duplex == Duplex::half ? " -- " : " -> ";
  return vertices_[at(ends.from)].name + arrow + vertices_[at(ends.to)].name + " (" + properties.name + ")";
}

BytesPerSecond Fabric::capacity(LinkId link) const {
  const LinkProperties& properties = properties_of(link);
  const bool sent_again = properties.transport.reliability == Reliability::reliable;
  return properties.bandwidth * properties.transport.goodput * (sent_again ? 1.0 - properties.loss.rate : 1.0);
}

LinkId Fabric::reverse(LinkId link) const {
  if (properties_of(link).duplex == Duplex::half) return link;
  const bool second = link > 0 && links_[at(link) - 1].cable == links_[at(link)].cable;
  return second ? link - 1 : link + 1;
}

Route Fabric::route(int from_host, int to_host) const {
  Route route;
  append_route(from_host, to_host, route.links);
  if (!limit_of_.empty() && !route.links.empty()) cross_limits(host(from_host), route.links);
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
    const LinkProperties& properties = properties_of(link);
    if (properties.loss.unit == LossUnit::packet) route.loss = 1.0 - (1.0 - route.loss) * (1.0 - properties.loss.rate);
    if (properties.loss.rate > 0.0 || properties.jitter.mean.value > 0.0 || transport.half_rate_size.value > 0.0 ||
        !transport.ramp.empty())
      route.special.push_back(links_[at(link)].properties);
  }
  return route;
}

void Fabric::append_route(int from_host, int to_host, std::vector<LinkId>& links) const {
  if (from_host == to_host) return;
  if (rule_)
    rule_(from_host, to_host, links);
  else
    ensure(paths_.append(*this, spread_, from_host, to_host, links),
           "routes are asked between hosts that reach each other");
}

std::optional<int> Fabric::unreachable_host() const {
  std::vector<LinkId> links;
  for (int other = 1; other < host_count(); ++other) {
    links.clear();
    if (rule_) {
      rule_(other, 0, links);
      if (links.empty()) return other;
    } else if (!paths_.append(*this, spread_, other, 0, links)) {
      return other;
    }
  }
  return {};
}

}  // namespace topologies
