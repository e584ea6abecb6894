#include "topologies/fabric/fabric.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"

namespace topologies {

namespace {

using models::ensure;

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
  append_route(from_host, to_host, route.links);
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
