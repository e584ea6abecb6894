#include "topologies/transport/transport.hpp"

namespace topologies {

Transport read_ideal(models::Params&);
Transport read_tcp(models::Params&);
Transport read_rdma(models::Params&);
Transport read_udp(models::Params&);
Transport read_peer_to_peer(models::Params&);

const models::Table<Transport>& transports() {
  static const models::Row<Transport> rows[] = {
      {"ideal", "the whole link rate, no ceiling (closed forms)", read_ideal},
      {"tcp",
       "kernel TCP over Ethernet: 94.15 % goodput at MTU 1500, optional ceiling and window per connection (IEEE 802.3, "
       "RFC 9293)",
       read_tcp},
      {"rdma", "InfiniBand or RoCE in hardware: 96 % goodput (SimAI nic_ratio table)", read_rdma},
      {"udp", "datagrams: what a link loses is lost to the algorithm; 95.71 % goodput at MTU 1500 (RFC 768)", read_udp},
      {"peer_to_peer", "GPU memory to GPU memory over NVLink or PCIe (NCCL topology constants)", read_peer_to_peer},
  };
  static const models::Table<Transport> table{"transport", rows};
  return table;
}

}  // namespace topologies
