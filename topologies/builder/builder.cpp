#include "topologies/builder/builder.hpp"

#include <algorithm>

#include "models/base/params.hpp"

namespace topologies {

std::vector<int> read_grouping(models::Params& params, int hosts) {
  const auto size = static_cast<int>(params.count(
      "gpus_per_node", {1.0, most_hosts}, "consecutive hosts that count as one node (hierarchical collectives)", 1));
  std::vector<int> node(static_cast<std::size_t>(hosts));
  for (int host = 0; host < hosts; ++host) node[static_cast<std::size_t>(host)] = host / size;
  return node;
}

int node_count(const std::vector<int>& node) {
  return node.empty() ? 0 : *std::max_element(node.begin(), node.end()) + 1;
}

}  // namespace topologies
