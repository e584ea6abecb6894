// Reno's saw-tooth between W/2 and W, one loss each 3/8 W^2 segments. M. Mathis, J. Semke, J. Mahdavi, T. Ott, "The
// Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", ACM CCR 27(3), 1997, eq. 3; every segment
// acknowledged.

#include <algorithm>
#include <cmath>

#include "topologies/congestion/congestion.hpp"

namespace topologies {

CongestionControl read_mathis(models::Params&) {
  return {
      [](const LossyPath& path) { return std::min(path.rate, path.segment * std::sqrt(1.5 / path.events) / path.rtt); },
      TailRecovery::timeout};
}

}  // namespace topologies
