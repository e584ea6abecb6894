// Linux's default: CUBIC with selective acknowledgements, RACK and tail-loss probes.

#include "topologies/congestion/linux_tcp.hpp"

namespace topologies {

CongestionControl read_linux(models::Params&) {
  return {[](const LossyPath& path) { return linux_rate(path, Growth::cubic); }, TailRecovery::probe};
}

}  // namespace topologies
