#include "topologies/transport/transport.hpp"

#include <utility>

#include "models/base/params.hpp"

namespace topologies {

Transport read_protocol(models::Params& params, Transport defaults) {
  constexpr models::Range share{0.0, 1.0, models::Range::Ends::open_low};
  constexpr double most_flows = 1024.0;
  Transport transport = std::move(defaults);
  transport.goodput =
      params.fraction("goodput", share, "share of the link rate that carries payload", transport.goodput);
  if (params.has("flow_ceiling"))
    transport.flow_ceiling = params.bandwidth(
        "flow_ceiling", models::positive, "most that one connection carries, whatever the link: CPU-bound, measured");
  if (params.has("window"))
    transport.window = params.bytes("window", models::positive,
                                    "bytes in flight per connection: its rate is at most window / round trip");
  transport.flows_per_peer =
      static_cast<int>(params.count("flows_per_peer", {1.0, most_flows},
                                    "parallel connections one transfer is spread over", transport.flows_per_peer));
  transport.start_up =
      params.seconds("start_up", models::not_negative, "software time before each message, beside the link's latency",
                     transport.start_up);
  transport.source = params.text("source", "where the numbers come from", transport.source);
  if (params.describing()) transport.flow_ceiling.reset(), transport.window.reset();
  return transport;
}

}  // namespace topologies
