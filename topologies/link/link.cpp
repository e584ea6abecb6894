#include "topologies/link/link.hpp"

#include <array>

#include "models/base/params.hpp"
#include "topologies/transport/transport.hpp"

namespace topologies {

namespace {

constexpr std::array<std::string_view, 2> duplex_names{"full", "half"};
constexpr std::array<std::string_view, 2> loss_units{"packet", "message"};
constexpr std::array<std::string_view, 3> jitter_shapes{"exponential", "uniform", "half_normal"};

std::optional<Seconds> read_latency(models::Params& link) {
  const bool one_way = link.has("latency"), round_trip = link.has("rtt");
  std::optional<Seconds> latency;
  if (one_way) latency = link.seconds("latency", models::not_negative, "one way, per link: a route adds up its links");
  if (round_trip) {
    const Seconds rtt = link.seconds("rtt", models::not_negative, "there and back, in place of latency");
    if (one_way && !link.describing())
      link.report("rtt", "a link has a latency or an rtt, not both", "latency is one way: half the rtt");
    else
      latency = rtt / 2.0;
  }
  return latency;
}

Loss read_loss(models::Params& params) {
  constexpr double most_lost = 0.5, most_in_a_row = 1e6;
  Loss loss;
  loss.rate = params.fraction("rate", {0.0, most_lost}, "share of the packets, or messages, that the link loses");
  loss.unit = static_cast<LossUnit>(params.choice("unit", loss_units, "what is lost as a whole", 0));
  loss.burst = params.number("burst", {1.0, most_in_a_row},
                             "mean number of packets lost in a row; 1: every packet by itself (Gilbert 1960)", 1.0);
  if (loss.burst > 1.0 && loss.unit == LossUnit::message && !params.describing())
    params.report("burst", "only packets are lost in bursts", "write unit: packet, or leave burst out");
  return loss;
}

Jitter read_jitter(models::Params& params) {
  Jitter jitter;
  jitter.mean = params.seconds("mean", models::not_negative,
                               "mean delay of a message beyond the link's latency, which stays the least");
  jitter.shape =
      static_cast<JitterShape>(params.choice("distribution", jitter_shapes, "of that delay, drawn per message", 0));
  return jitter;
}

// A preset nobody knows is reported already; that it has no bandwidth is no second mistake.
bool names_unknown_preset(models::Params& params, std::string_view key, const models::Params& link) {
  if (params.describing() || !link.preset_name().empty()) return false;
  const models::Node* written = params.raw(key, "link", "");
  if (written == nullptr || written->kind != models::NodeKind::mapping) return true;
  for (const models::Entry& entry : written->entries)
    if (entry.key == "preset") return true;
  return false;
}

}  // namespace

LinkWish read_link(models::Params& params, std::string_view key, std::string_view help) {
  LinkWish wish;
  wish.name = std::string(key);
  if (!params.has(key)) return wish;
  models::Params link = params.preset(key, "link", help);
  wish.preset = link.preset_name();
  wish.reported = names_unknown_preset(params, key, link);
  link.text("description", "what the link is", "");
  if (link.has("bandwidth"))
    wish.bandwidth = link.bandwidth("bandwidth", models::positive, "per direction (H100 NVLink: 450 GB/s, not 900)");
  wish.latency = read_latency(link);
  if (link.has("duplex"))
    wish.duplex = static_cast<Duplex>(link.choice("duplex", duplex_names, "half: both directions share the bandwidth"));
  if (link.has("transport")) wish.transport = link.plugin("transport", transports(), "the protocol on the link");
  if (auto loss = link.optional_section("loss", "random loss, beside what full queues drop"))
    wish.loss = read_loss(*loss);
  if (auto jitter = link.optional_section("jitter", "random delay of every message"))
    wish.jitter = read_jitter(*jitter);
  if (link.has("queue"))
    wish.queue = link.bytes("queue", models::positive,
                            "in front of the link, drop-tail; absent: one bandwidth-delay product (Villamizar 1994), "
                            "100 packets at least");
  wish.protocols = models::read_protocols(link);
  wish.source = link.text("source", "where the numbers come from", "");
  link.raw("sources", "mapping", "where single numbers come from, by key");
  return wish;
}

LinkProperties completed(const LinkWish& wish, const LinkWish& defaults, models::Params& owner) {
  LinkProperties properties;
  properties.name = wish.name;
  const auto bandwidth = wish.bandwidth ? wish.bandwidth : defaults.bandwidth;
  const auto latency = wish.latency ? wish.latency : defaults.latency;
  const auto report = [&](const char* what, const char* example) {
    if (wish.used && !wish.reported && !owner.describing())
      owner.report(wish.name, "link '" + wish.name + "' has no " + what,
                   "write " + wish.name + ": {" + example + "}, name a preset, or set defaults.link");
  };
  if (!bandwidth) report("bandwidth", "bandwidth: 10 Gb/s");
  if (!latency) report("latency", "latency: 25 us");
  constexpr BytesPerSecond after_an_error{1.0};  // any legal rate: the rest of the file is still read
  properties.bandwidth = bandwidth.value_or(after_an_error);
  properties.latency = latency.value_or(Seconds{});
  properties.duplex = wish.duplex.value_or(defaults.duplex.value_or(Duplex::full));
  properties.transport = wish.transport.value_or(defaults.transport.value_or(Transport{}));
  properties.loss = wish.loss.value_or(defaults.loss.value_or(Loss{}));
  properties.jitter = wish.jitter.value_or(defaults.jitter.value_or(Jitter{}));
  properties.queue = wish.queue ? wish.queue : defaults.queue;
  properties.protocols = wish.protocols.all.empty() ? defaults.protocols : wish.protocols;
  properties.protocols.link = properties.bandwidth * properties.transport.goodput;
  properties.source = wish.source;
  const Transport& transport = properties.transport;
  if (wish.used && !owner.describing() && properties.loss.rate > 0.0 &&
      transport.reliability == Reliability::reliable && transport.congestion_control.empty())
    owner.report(wish.name, "transport '" + transport.name + "' has no model of random loss",
                 "write transport: tcp, which sends again, or udp, which does not");
  return properties;
}

std::string key_of(const LinkProperties& properties) {
  const Transport& transport = properties.transport;
  std::string key = properties.name + '{';
  const auto add = [&key](double value) { key += models::shortest(value) + ','; };
  add(properties.bandwidth.value);
  add(properties.latency.value);
  add(static_cast<double>(properties.duplex));
  key += transport.name + ',';
  add(transport.goodput);
  add(transport.flow_ceiling ? transport.flow_ceiling->value : -1.0);
  add(transport.window ? transport.window->value : -1.0);
  add(transport.flows_per_peer);
  add(transport.start_up.value);
  add(transport.half_rate_size.value);
  for (const RampPoint& point : transport.ramp) add(point.size.value), add(point.efficiency);
  add(static_cast<double>(transport.reliability));
  key += transport.congestion_control + ',';
  add(transport.segment.value);
  add(transport.min_timeout.value);
  add(transport.initial_window);
  add(properties.loss.rate);
  add(static_cast<double>(properties.loss.unit));
  add(properties.loss.burst);
  add(properties.jitter.mean.value);
  add(static_cast<double>(properties.jitter.shape));
  add(properties.queue ? properties.queue->value : -1.0);
  key += models::key_of(properties.protocols);
  return key + '}';
}

}  // namespace topologies
