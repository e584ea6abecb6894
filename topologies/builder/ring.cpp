// Hosts in a circle, each with a cable to the next; traffic takes the shorter way round.

#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

BuilderSpec read_ring_of_hosts(models::Params& params) {
  const auto hosts = static_cast<int>(params.count("nodes", {1.0, most_hosts}, "hosts in the circle"));
  LinkWish link = read_link(params, "link", "the cable between neighbours");
  std::vector<int> node = read_grouping(params, hosts);
  BuilderSpec spec = torus_of({hosts}, std::move(link), std::move(node), read_routing(params));
  spec.description = "ring of " + std::to_string(hosts);
  return spec;
}

}  // namespace topologies
