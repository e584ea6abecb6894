// Datagrams: what a link loses is lost to the algorithm. 1472 of 1538 bytes are payload (MTU 1500 less 20 IP, 8 UDP;
// plus 14 header, 4 FCS, 8 preamble, 12 gap: IEEE 802.3, RFC 768).

#include "topologies/transport/transport.hpp"

namespace topologies {

Transport read_udp(models::Params& params) {
  Transport defaults;
  defaults.name = "udp";
  defaults.goodput = 0.9571;
  defaults.reliability = Reliability::unreliable;
  defaults.segment = Bytes{1472.0};
  return read_protocol(params, defaults);
}

}  // namespace topologies
