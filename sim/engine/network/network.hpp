#pragma once
// Network: start a transfer, be told when it ends. Backends: fluid (default), simgrid (oracle). The schedule player and the collapsed
// backend sit on top of this interface.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "topologies/fabric/fabric.hpp"

namespace sim {

class Core;

// `tag` comes back at the end.
struct Flow { int from = 0, to = 0; models::Bytes bytes{}; std::uint64_t tag = 0; };

// Many equal transfers as one variable: every transfer moves `bytes` at one common rate; usage[i] counts those that cross links[i].
struct Bundle {
  std::vector<topologies::LinkId> links;
  std::vector<std::int32_t> usage;
  models::Bytes bytes{};            // per transfer
  models::Seconds latency{};        // before the first byte arrives
  double ceiling = 0.0;             // bytes/s per transfer; 0: none
  std::int64_t transfers = 0;       // for counts
  std::uint64_t tag = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  // Ends are reported through the core at their time, in (time, start order).
  using Ended = std::function<void(std::uint64_t tag)>;
  virtual void on_end(Ended ended) = 0;
  virtual void start(const Flow& flow) = 0;
  // Starts all at once (one re-solve).
  virtual void start(std::span<const Flow> flows) = 0;
  virtual bool supports_bundles() const = 0;
  virtual void start(const Bundle& bundle) = 0;
  // Bytes carried and busy seconds by directed link so far.
  struct Usage { double bytes = 0.0, busy_s = 0.0; };
  virtual std::vector<Usage> usage() const = 0;
  virtual std::int64_t flows_started() const = 0;
};

}  // namespace sim
