// TCP over Ethernet: 1448 of 1538 bytes are payload (MTU 1500 less 20 IP, 20 TCP, 12 timestamps; plus 14 header, 4 FCS,
// 8 preamble, 12 gap: IEEE 802.3, RFC 9293, RFC 7323).

#include "topologies/transport/transport.hpp"

namespace topologies {

Transport read_tcp(models::Params& params) {
  Transport defaults;
  defaults.name = "tcp";
  defaults.goodput = 0.9415;
  defaults.congestion_control = "linux";
  defaults.initial_window = 10;  // RFC 6928
  return read_protocol(params, defaults);
}

}  // namespace topologies
