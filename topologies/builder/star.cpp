// One GPU per node, each on its own cable to one switch that does not block: a route is two links.

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

BuilderSpec read_star(models::Params& params) {
  const auto hosts = static_cast<int>(params.count("nodes", {1.0, most_hosts}, "nodes, with one GPU each"));
  BuilderSpec spec;
  spec.hosts = spec.nodes = hosts;
  spec.links = {read_link(params, "link", "each node's cable to the switch; a route is two of them")};
  spec.description = std::to_string(hosts) + " nodes x 1";
  spec.key = "star " + std::to_string(hosts);
  spec.build = [hosts](std::span<const LinkProperties> links) {
    Blueprint made;
    const std::int32_t cable = made.fabric.add_properties(links[0]);
    const CableRun cables = CableRun::next(made.fabric, links[0].duplex);
    for (int host = 0; host < hosts; ++host) made.fabric.add_host("node" + std::to_string(host));
    const VertexId core = made.fabric.add_switch("switch");
    for (int host = 0; host < hosts; ++host) {
      made.fabric.connect(made.fabric.host(host), core, cable);
      made.node.push_back(host);
    }
    made.fabric.set_route_rule([cables](int from, int to, std::vector<LinkId>& route) {
      route.push_back(cables.there(from));
      route.push_back(cables.back(to));
    });
    made.way_out = [cables](int host, std::vector<LinkId>& route) { route.push_back(cables.there(host)); };
    return made;
  };
  return spec;
}

}  // namespace topologies
