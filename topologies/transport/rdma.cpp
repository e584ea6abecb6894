// RDMA in hardware. NICs reach 0.96 of their line rate in collectives of many gigabytes (SimAI nic_ratio table, 16 GiB
// over 2 to 64 nodes).

#include "topologies/transport/transport.hpp"

namespace topologies {

Transport read_rdma(models::Params& params) {
  Transport defaults;
  defaults.name = "rdma";
  defaults.goodput = 0.96;
  return read_protocol(params, defaults);
}

}  // namespace topologies
