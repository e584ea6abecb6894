// BBR paces at the largest delivery rate of its last ten round trips, so random loss does not slow it down until the
// probing gain no longer makes up for what is lost. N. Cardwell, Y. Cheng, C. S. Gunn, S. H. Yeganeh, V. Jacobson,
// "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016, figure 8: full rate less the loss to 5 %, near it
// to 15 %, and a steep fall as loss comes to 1 - 1/1.25 = 20 %.

#include <algorithm>

#include "topologies/congestion/congestion.hpp"

namespace topologies {

namespace {

constexpr double knee = 0.15;          // figure 8
constexpr double probing_gain = 1.25;  // one round trip of eight
constexpr double limit = 1.0 - 1.0 / probing_gain;
constexpr double smallest_window = 4.0;  // segments: what is left when the rate estimate decays

}  // namespace

CongestionControl read_bbr(models::Params&) {
  return {[](const LossyPath& path) {
            const models::BytesPerSecond least =
                std::min(path.rate, path.segment * (smallest_window * (1.0 - path.loss)) / path.rtt);
            const double kept = std::clamp((limit - path.loss) / (limit - knee), 0.0, 1.0);
            return std::max(least, path.rate * kept);
          },
          TailRecovery::probe};
}

}  // namespace topologies
