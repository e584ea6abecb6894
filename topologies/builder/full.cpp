// A cable between every two hosts.

#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

BuilderSpec read_full(models::Params& params) {
  constexpr double most_full_hosts = 2048.0;  // cables grow with the square
  const auto hosts = static_cast<int>(params.count("nodes", {1.0, most_full_hosts}, "hosts"));
  BuilderSpec spec;
  spec.hosts = hosts;
  spec.links = {read_link(params, "link", "the cable between two hosts")};
  spec.links[0].used = hosts > 1;
  std::vector<int> node = read_grouping(params, hosts);
  spec.nodes = node_count(node);
  spec.description = std::to_string(hosts) + " hosts fully joined";
  spec.key = "full " + std::to_string(hosts) + '/' + std::to_string(spec.nodes);
  spec.build = [hosts, node = std::move(node)](std::span<const LinkProperties> links) {
    Blueprint made;
    made.node = node;
    for (int host = 0; host < hosts; ++host) made.fabric.add_host("host" + std::to_string(host));
    if (hosts == 1) return made;
    const std::int32_t properties = made.fabric.add_properties(links[0]);
    const CableRun cables = CableRun::next(made.fabric, links[0].duplex);
    for (int i = 0; i < hosts; ++i)
      for (int j = i + 1; j < hosts; ++j) made.fabric.connect(made.fabric.host(i), made.fabric.host(j), properties);
    made.fabric.set_route_rule([cables, hosts](int from, int to, std::vector<LinkId>& route) {
      route.push_back(from < to ? cables.there(cable_between(from, to, hosts))
                                : cables.back(cable_between(to, from, hosts)));
    });
    return made;
  };
  return spec;
}

}  // namespace topologies
