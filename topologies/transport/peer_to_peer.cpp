// GPUs read and write each other's memory over NVLink or PCIe; what protocol and packets cost differs by generation, so
// the preset says it.

#include "topologies/transport/transport.hpp"

namespace topologies {

Transport read_peer_to_peer(models::Params& params) {
  Transport defaults;
  defaults.name = "peer_to_peer";
  return read_protocol(params, defaults);
}

}  // namespace topologies
