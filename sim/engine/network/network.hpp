#pragma once
// Network: start a transfer, be told when it ends. Backends: fluid (default), simgrid (oracle). The schedule player
// sits on top.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "sim/engine/network/ledger.hpp"
#include "topologies/fabric/fabric.hpp"
#include "topologies/transport/message.hpp"

namespace sim {

class Core;
class Platform;

// Told at the time of the end, in (time, start order).
class FlowObserver {
 public:
  virtual void flow_ended(std::uint64_t tag) = 0;
  // Just before flow_ended, when an unreliable transport lost a part of the message. `number` is the message's among
  // those between its two hosts: RouteCache::lost_parts gives the same ranges whenever it is asked.
  virtual void flow_lost(std::uint64_t /*tag*/, std::uint32_t /*number*/, models::Bytes /*lost*/) {}

 protected:
  ~FlowObserver() = default;
};

// `tag` comes back at the end. Zero bytes, or equal hosts, take the latency only.
struct Flow {
  int from = 0, to = 0;  // host indices
  models::Bytes bytes{};
  std::uint64_t tag = 0;
  std::optional<models::Seconds>
      delay;  // before it gets bandwidth, when not the route's start-up + latency (a transfer taken over in mid-flight)
  std::optional<models::Bytes> whole = {};  // size of the message, when `bytes` is what is left of it
};

// Many equal transfers as one variable: every transfer moves `bytes` at one common rate; usage[i] counts those that
// cross links[i].
struct Bundle {
  std::vector<topologies::LinkId> links;
  std::vector<std::int32_t> usage;
  models::Bytes bytes{};       // per transfer
  models::Seconds delay{};     // before they get bandwidth
  double ceiling = 0.0;        // bytes/s per transfer; 0: none
  std::int64_t transfers = 0;  // for counts
  std::uint64_t tag = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  virtual std::string_view name() const = 0;  // fluid, simgrid
  // Starts all at once (one re-solve).
  virtual void start(std::span<const Flow> flows, FlowObserver& observer) = 0;
  void start(const Flow& flow, FlowObserver& observer) { start(std::span(&flow, 1), observer); }
  virtual bool supports_bundles() const = 0;
  virtual void start(const Bundle& bundle, FlowObserver& observer) = 0;
  // Transfers started and not ended.
  virtual std::int64_t active() const = 0;
  // Called before something starts: whoever accounts for traffic outside the network (the collapsed player) puts it
  // into the network now.
  virtual void before_start(std::function<void()> hook) = 0;
  // By directed link so far. busy_s: something moved on it; bound_s: its capacity was all taken, so that it held flows
  // back; peak: most transfers moving at once.
  struct Usage {
    double bytes = 0.0, busy_s = 0.0, bound_s = 0.0;
    std::int64_t peak = 0;
    // What the same link did at other times.
    void add(const Usage& other) {
      bytes += other.bytes;
      busy_s += other.busy_s;
      bound_s += other.bound_s;
      peak = peak > other.peak ? peak : other.peak;
    }
  };
  virtual std::vector<Usage> usage() const = 0;
  // Of single transfers: whoever starts bundles counts them. What moves at present counts as far as it was carried.
  virtual Ledger ledger() const = 0;
  virtual std::int64_t flows_started() const = 0;
};

// What transfers between two hosts cross, asked once per pair. Entries stay where they are.
struct RouteEntry {
  std::vector<topologies::LinkId> links;
  double delay = 0.0;                                  // start-up + latency
  double ceiling = 0.0;                                // bytes/s; 0: none
  double loss = 0.0;                                   // share of the packets sent that are lost
  const topologies::MessageModel* messages = nullptr;  // when a message's cost is more than delay and ceiling
  std::uint32_t sent = 0;                              // messages that have drawn their cost
};
// What one message costs.
struct MessageCost {
  double delay = 0.0, ceiling = 0.0;  // as in RouteEntry
  double lost = 0.0;                  // bytes: sent again by a reliable transport, missing from an unreliable one
  bool missing = false;               // the latter
  std::uint32_t number = 0;           // among the messages between its two hosts
};
class RouteCache {
 public:
  explicit RouteCache(const topologies::Fabric& fabric, std::uint64_t seed = 0) : fabric_(fabric), seed_(seed) {}
  std::uint32_t find(int from, int to);
  // Of the next message between the flow's hosts: draws are keyed by (seed, hosts, number of the message). A flow taken
  // over in mid-flight draws nothing.
  MessageCost cost(std::uint32_t index, const Flow& flow);
  // Of an average message; what a collapsed play takes for every one.
  MessageCost average_message(std::uint32_t index, double bytes) const;
  // The parts of a message that never arrived.
  std::vector<topologies::ByteRange> lost_parts(int from, int to, std::uint32_t number, double bytes);
  const RouteEntry& entry(std::uint32_t index) const { return entries_[index]; }
  const topologies::Fabric& fabric() const { return fabric_; }
  // Whether some transport's rate depends on the size of a message.
  bool sizes_matter() const;

 private:
  void grow();
  const topologies::Fabric& fabric_;
  std::uint64_t seed_ = 0;
  std::vector<RouteEntry> entries_;
  std::map<std::vector<double>, std::unique_ptr<const topologies::MessageModel>> messages_;  // routes alike share one
  std::vector<std::uint64_t> keys_;  // open addressing; empty_key: free
  std::vector<std::uint32_t> positions_;
};

std::unique_ptr<Network> make_fluid(Core& core, RouteCache& routes);
// `platform` has links, and a private link per transfer with a ceiling that may be under way at once.
std::unique_ptr<Network> make_simgrid_flows(Core& core, RouteCache& routes, Platform& platform);

}  // namespace sim
