#pragma once
// Links as users write them: a preset, an inline mapping, or {preset: ..., bandwidth: ...}.

#include <optional>
#include <string>
#include <string_view>

#include "models/base/error.hpp"
#include "topologies/fabric/fabric.hpp"

namespace models {
class Params;
}

namespace topologies {

// What one link's mapping says; cluster.defaults.link supplies the rest.
struct LinkWish {
  std::string name;  // its key: "inter_node"
  std::string preset;
  std::optional<BytesPerSecond> bandwidth;
  std::optional<Seconds> latency;
  std::optional<Duplex> duplex;
  std::optional<Transport> transport;
  std::optional<Loss> loss;
  std::optional<Jitter> jitter;
  std::optional<Bytes> queue;
  models::Protocols protocols;
  std::string source;
  bool reported = false;  // what is missing is known already
  bool used = true;       // false: the shape has no such link at these sizes
};
// Keys bandwidth, latency | rtt, duplex, transport, loss, jitter, queue, source, sources and those of read_protocols().
// An absent key gives an empty wish.
LinkWish read_link(models::Params& params, std::string_view key, std::string_view help);

// Reports to `owner` what neither says; then the numbers are legal but meaningless.
LinkProperties completed(const LinkWish& wish, const LinkWish& defaults, models::Params& owner);

// Equal text, equal properties.
std::string key_of(const LinkProperties& properties);

}  // namespace topologies
