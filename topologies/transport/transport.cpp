#include "topologies/transport/transport.hpp"

#include <string>
#include <utility>
#include <vector>

#include "models/base/params.hpp"
#include "topologies/congestion/congestion.hpp"

namespace topologies {

namespace {

void read_ramp(models::Params& params, Transport& transport) {
  transport.half_rate_size =
      params.bytes("half_rate_size", models::not_negative,
                   "a message of this size moves at half the rate: size / (size + half_rate_size)", Bytes{});
  if (!params.has("ramp")) return;
  for (models::Params& point : params.list("ramp", "efficiency by message size, linear between the sizes listed")) {
    RampPoint read;
    read.size = point.bytes("size", models::positive, "size of a message");
    read.efficiency =
        point.fraction("efficiency", {0.0, 1.0, models::Range::Ends::open_low},
                       "share of the rate that it moves at; also of smaller, or larger, ones at the ends");
    if (!transport.ramp.empty() && !(transport.ramp.back().size < read.size) && !params.describing())
      point.report("size", "the sizes of a ramp rise", "sort the points by size, each size once");
    transport.ramp.push_back(read);
  }
  if (params.describing()) transport.ramp.clear();
}

// What random loss does to a sender that sends again.
void read_answer_to_loss(models::Params& params, Transport& transport) {
  constexpr double most_segments = 1 << 20;
  std::vector<std::string_view> names;
  std::size_t fallback = 0;
  for (const models::Row<CongestionControl>& row : congestion_controls().rows()) {
    if (row.name == transport.congestion_control) fallback = names.size();
    names.push_back(row.name);
  }
  transport.congestion_control = std::string(names[params.choice(
      "congestion_control", names, "how the sender answers random loss in the long run", fallback)]);
  transport.min_timeout = params.seconds("min_timeout", models::positive,
                                         "least time beyond the round trip until a sender sends again unasked: 200 ms "
                                         "in Linux, 1 s in RFC 6298",
                                         transport.min_timeout);
  transport.initial_window = static_cast<int>(
      params.count("initial_window", {0.0, most_segments},
                   "segments that each message may send at once under loss, doubled by every round trip (RFC 6928; "
                   "connections start anew after a pause); 0: windows stay open",
                   transport.initial_window));
}

}  // namespace

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
  read_ramp(params, transport);
  if (!transport.congestion_control.empty()) read_answer_to_loss(params, transport);
  if (!transport.congestion_control.empty() || transport.reliability == Reliability::unreliable)
    transport.segment =
        params.bytes("segment", models::positive, "payload of one packet, the unit that is lost", transport.segment);
  transport.source = params.text("source", "where the numbers come from", transport.source);
  if (params.describing()) transport.flow_ceiling.reset(), transport.window.reset();
  return transport;
}

}  // namespace topologies
