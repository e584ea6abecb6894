// CUBIC's mean window under one loss each 1/p segments, and Reno's where that is larger. S. Ha, I. Rhee, L. Xu,
// "CUBIC", 2008; L. Xu et al., RFC 9438, 2023, section 5.1 (figure 5) and 4.3.

#include <algorithm>
#include <cmath>

#include "topologies/congestion/congestion.hpp"

namespace topologies {

CongestionControl read_cubic(models::Params&) {
  return {[](const LossyPath& path) {
            constexpr double c = 0.4, beta = 0.7;  // RFC 9438, section 4.6 and 5
            const double friendly = std::sqrt(1.5 / path.events);
            const double spread = path.rtt.value / path.events;
            const double cubed = c * (3.0 + beta) / (4.0 * (1.0 - beta)) * spread * spread * spread;
            const double window = std::max(friendly, std::sqrt(std::sqrt(cubed)));
            return std::min(path.rate, path.segment * window / path.rtt);
          },
          TailRecovery::timeout};
}

}  // namespace topologies
