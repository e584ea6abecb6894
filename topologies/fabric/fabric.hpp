#pragma once
// Fabric: hosts, switches and directed links; routes found by a builder's rule or by shortest path.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/collective/protocol.hpp"
#include "topologies/fabric/paths.hpp"
#include "topologies/fabric/spread.hpp"

namespace topologies {

using models::Bytes;
using models::BytesPerSecond;
using models::Seconds;

// Random loss on a link, beside what full queues drop.
enum class LossUnit { packet, message };
struct Loss {
  double rate = 0.0;  // share of the packets, or of the messages, that a link loses
  LossUnit unit = LossUnit::packet;
  double burst = 1.0;  // mean number of packets lost in a row; to a sender one event
};

// Delay of one message above the link's latency, drawn per message and link.
enum class JitterShape { exponential, uniform, half_normal };
struct Jitter {
  Seconds mean{};
  JitterShape shape = JitterShape::exponential;
};

// Whether what a link loses is sent again, or lost to the algorithm.
enum class Reliability { reliable, unreliable };
struct RampPoint {
  Bytes size{};
  double efficiency = 1.0;
};

// A protocol on a link. A flow gets min(goodput x its share of the link, flow_ceiling x flows_per_peer, window x
// flows_per_peer / RTT, what random loss leaves it) x efficiency of its size.
struct Transport {
  std::string name = "ideal";
  double goodput = 1.0;                        // share of the link rate that carries payload
  std::optional<BytesPerSecond> flow_ceiling;  // per connection, CPU-bound, absolute
  std::optional<Bytes> window;                 // rate <= window / RTT on the raw route latency, per connection
  int flows_per_peer = 1;                      // parallel connections one transfer is spread over
  Seconds start_up{};                          // per message
  Bytes half_rate_size{};                      // a message of this size moves at half the rate; 0: no ramp
  std::vector<RampPoint> ramp;                 // or a table by rising size, linear between points
  Reliability reliability = Reliability::reliable;
  std::string congestion_control;  // a row of congestion_controls(); empty: no model of random loss
  Bytes segment{1448.0};           // payload of one packet
  Seconds min_timeout{0.2};        // floor of the retransmission timer
  int initial_window = 0;          // segments a message may send at once under loss; 0: no slow start
  std::string source;
};

enum class Duplex { full, half };
struct LinkProperties {
  std::string name;            // "inter_node", for reports
  BytesPerSecond bandwidth{};  // per direction
  Seconds latency{};           // one way
  Duplex duplex = Duplex::full;
  Transport transport;
  models::Protocols protocols;  // of a collective library between GPUs that only such links join
  std::string source;
  Loss loss;
  Jitter jitter;
  std::optional<Bytes>
      queue;  // in front of the link, drop-tail; absent: one bandwidth-delay product, 100 packets at least
};

using VertexId = std::int32_t;
using LinkId = std::int32_t;  // a directed link: a full-duplex cable is two

struct Vertex {
  std::string name;
  enum class Kind { host, network_switch } kind;
};
struct DirectedLink {
  VertexId from, to;
  std::int32_t properties;
  std::int32_t cable;
};  // properties: index into Fabric::properties

// What one transfer between two hosts crosses. Links in order; a half-duplex cable appears as the same LinkId in both
// directions.
struct Route {
  std::vector<LinkId> links;
  Seconds latency{};   // sum, one way
  Seconds start_up{};  // largest of the transports on the way
  std::optional<BytesPerSecond>
      ceiling;                        // min over transports of flow_ceiling x flows and window x flows / (2 latency)
  double loss = 0.0;                  // share of packets that some link on the way loses
  std::vector<std::int32_t> special;  // properties of every link on the way with loss, jitter or a size ramp
};

// Whether traffic between two others may pass through a host. Rules of shapes without switches route through hosts
// anyway.
enum class Forwarding { switches_only, hosts_too };

class Fabric {
 public:
  VertexId add_host(std::string name);
  VertexId add_switch(std::string name);
  std::int32_t add_properties(LinkProperties properties);
  // A cable between a and b: two directed links, or one shared one when half duplex. Returns the link from a to b.
  LinkId connect(VertexId a, VertexId b, std::int32_t properties);
  // What a switch or host carries in all: a link that every route through the vertex crosses once, without latency.
  LinkId add_limit(VertexId vertex, std::int32_t properties);

  int host_count() const { return static_cast<int>(hosts_.size()); }
  VertexId host(int index) const { return hosts_[static_cast<std::size_t>(index)]; }
  const std::vector<Vertex>& vertices() const { return vertices_; }
  const std::vector<DirectedLink>& links() const { return links_; }
  const std::vector<LinkProperties>& properties() const { return properties_; }
  const LinkProperties& properties_of(LinkId link) const;
  std::string link_name(LinkId link) const;    // "node3 -> core (inter_node)"
  BytesPerSecond capacity(LinkId link) const;  // bandwidth x goodput, less what a reliable transport sends again
  // The other direction of the cable; itself when half duplex.
  LinkId reverse(LinkId link) const;

  // The builder's own rule, O(path), or nothing: then shortest paths (fewest links; ties to the lowest id, or by the
  // spread) are used, searched once per destination switch.
  using RouteRule = std::function<void(int from_host, int to_host, std::vector<LinkId>& links)>;
  void set_route_rule(RouteRule rule) { rule_ = std::move(rule); }
  void set_forwarding(Forwarding forwarding) { forwarding_ = forwarding; }
  Forwarding forwarding() const { return forwarding_; }
  void set_spread(Spread spread) { spread_ = spread; }
  // Host indices; equal hosts: no links. Not to be called from two threads at once.
  Route route(int from_host, int to_host) const;
  // Only its links, appended.
  void append_route(int from_host, int to_host, std::vector<LinkId>& links) const;
  // First host that cannot reach host 0, if any.
  std::optional<int> unreachable_host() const;

 private:
  void cross_limits(VertexId from, std::vector<LinkId>& links) const;
  VertexId add_vertex(std::string name, Vertex::Kind kind);

  std::vector<Vertex> vertices_;
  std::vector<VertexId> hosts_;
  std::vector<DirectedLink> links_;
  std::vector<LinkProperties> properties_;
  std::vector<LinkId> limit_of_;  // by vertex; empty: no limits
  RouteRule rule_;
  Forwarding forwarding_ = Forwarding::switches_only;
  Spread spread_;
  mutable Paths paths_;
};

}  // namespace topologies
