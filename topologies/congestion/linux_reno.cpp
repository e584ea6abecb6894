// Linux with Reno chosen for its window (net.ipv4.tcp_congestion_control = reno): recovery as in linux.cpp.

#include "topologies/congestion/linux_tcp.hpp"

namespace topologies {

CongestionControl read_linux_reno(models::Params&) {
  return {[](const LossyPath& path) { return linux_rate(path, Growth::reno); }, TailRecovery::probe};
}

}  // namespace topologies
