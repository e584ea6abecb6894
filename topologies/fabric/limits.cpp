#include "topologies/fabric/limits.hpp"

#include <string_view>
#include <utility>

#include "models/base/params.hpp"

namespace topologies {

namespace {

// `*` matches any text; a mismatch goes back to the last one.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Limit read_limit(models::Params& params) {
  Limit limit;
  limit.place = params.place();
  limit.at =
      params.text("at", "name of a switch, NIC or host as link names show it; * stands for any text: core, *.nic*");
  const bool by_bandwidth = params.has("bandwidth"), by_packets = params.has("packets_per_second");
  if (by_bandwidth)
    limit.bandwidth = params.bandwidth("bandwidth", models::positive, "all ports and directions together");
  if (by_packets) {
    const double packets = params.number("packets_per_second", models::positive, "in place of a bandwidth");
    const Bytes payload = params.bytes("packet", models::positive, "payload of a packet", Bytes{1448.0});
    limit.bandwidth = payload * packets / Seconds{1.0};
  }
  if (by_bandwidth == by_packets && !params.describing()) {
    params.report("at", "a limit is a bandwidth or a packet rate, one of them",
                  "write bandwidth: 1.6 Tb/s or packets_per_second: 1e7");
    limit.bandwidth = BytesPerSecond{1.0};
  }
  return limit;
}

}  // namespace

std::vector<Limit> read_limits(models::Params& params) {
  std::vector<Limit> limits;
  if (!params.has("limits")) return limits;
  for (models::Params& entry :
       params.list("limits", "what switches, NICs or hosts carry in all: [{at: core, bandwidth: 1.6 Tb/s}]"))
    limits.push_back(read_limit(entry));
  return limits;
}

std::string key_of(const std::vector<Limit>& limits) {
  std::string key;
  for (const Limit& limit : limits) key += " limit " + limit.at + '=' + models::shortest(limit.bandwidth.value);
  return key;
}

void apply(const std::vector<Limit>& limits, Fabric& fabric) {
  std::vector<std::int32_t> properties;
  std::vector<char> used(limits.size(), 0);
  for (const Limit& limit : limits) {
    LinkProperties shared;
    shared.name = "limit";
    shared.bandwidth = limit.bandwidth;
    shared.duplex = Duplex::half;
    properties.push_back(fabric.add_properties(std::move(shared)));
  }
  for (std::size_t v = 0; v < fabric.vertices().size(); ++v) {
    bool limited = false;
    for (std::size_t l = 0; l < limits.size(); ++l) {
      if (!matches(limits[l].at, fabric.vertices()[v].name)) continue;
      used[l] = 1;
      if (!limited) fabric.add_limit(static_cast<VertexId>(v), properties[l]);
      limited = true;
    }
  }
  for (std::size_t l = 0; l < limits.size(); ++l)
    if (used[l] == 0)
      throw models::Error(limits[l].place, "no switch, NIC or host is named '" + limits[l].at + "'",
                          "the first ones are " + fabric.vertices().front().name + " and " +
                              fabric.vertices().back().name + "; * stands for any text");
}

}  // namespace topologies
