#include "topologies/congestion/linux_tcp.hpp"

#include <algorithm>
#include <cmath>

namespace topologies {

// Windows between losses without time-outs: PFTK (SIGCOMM 1998), eq. 19, every segment counted.
models::BytesPerSecond linux_rate(const LossyPath& path, Growth growth) {
  const double p = path.events;
  const double beta = growth == Growth::cubic ? 0.7 : 0.5, gain = 3.0 * (1.0 - beta) / (1.0 + beta);
  const double window = 1.0 + std::sqrt(2.0 * gain / ((1.0 - beta * beta) * p) + 1.0);
  const double rounds = (1.0 - beta) * window / gain + 1.0;
  return std::min(path.rate, path.segment * ((1.0 / p + window) / rounds) / path.rtt);
}

}  // namespace topologies
