// Reno: windows between losses, and time-outs where fewer than three duplicate acknowledgements come back. J. Padhye,
// V. Firoiu, D. Towsley, J. Kurose, "Modeling TCP Throughput: A Simple Model and its Empirical Validation", SIGCOMM
// 1998, eq. 13 (window), 24 (chance of a time-out), 29 (back-off), 28 (throughput).

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "topologies/congestion/congestion.hpp"

namespace topologies {

namespace {

constexpr double acknowledged_at_once = 1.0;  // b of the paper; Linux counts segments, not acknowledgements (RFC 3465)

// By squares and square roots, digit by digit: pow() differs between libraries.
double to_the(double base, double exponent) {
  constexpr int digits = 40;
  double result = 1.0, power = base, root = base;
  const double whole = std::floor(exponent);
  for (auto left = static_cast<std::uint64_t>(whole); left > 0; left >>= 1, power *= power)
    if ((left & 1) != 0) result *= power;
  double rest = exponent - whole;
  for (int i = 0; i < digits; ++i) {
    root = std::sqrt(root);
    rest *= 2.0;
    if (rest < 1.0) continue;
    rest -= 1.0;
    result *= root;
  }
  return result;
}

// Q^(w): a loss among w segments is found by a time-out.
double timeout_chance(double p, double window) {
  const double q = 1.0 - p, q3 = q * q * q;
  const double all = 1.0 - to_the(q, window);
  return all <= 0.0 ? 1.0
                    : std::min(1.0, (1.0 - q3) * (1.0 + q3 * (1.0 - to_the(q, std::max(0.0, window - 3.0)))) / all);
}

}  // namespace

CongestionControl read_reno(models::Params&) {
  return {[](const LossyPath& path) {
            const double p = path.events, b = acknowledged_at_once;
            const double shift = (2.0 + b) / (3.0 * b);
            const double window = shift + std::sqrt(8.0 * (1.0 - p) / (3.0 * b * p) + shift * shift);
            const double by_timeout = timeout_chance(p, window);
            const double segments = (1.0 - p) / p + window + by_timeout / (1.0 - p);
            const models::Seconds time =
                path.rtt * (b / 2.0 * window + 1.0) + timeout(path) * (by_timeout * backed_off(p));
            return std::min(path.rate, path.segment * segments / time);
          },
          TailRecovery::timeout};
}

}  // namespace topologies
