#include "topologies/link/link.hpp"

#include <array>

#include "models/base/params.hpp"
#include "topologies/transport/transport.hpp"

namespace topologies {

namespace {

constexpr std::array<std::string_view, 2> duplex_names{"full", "half"};

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
  properties.source = wish.source;
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
  return key + '}';
}

}  // namespace topologies
