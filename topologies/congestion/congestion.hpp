#pragma once
// Congestion control: what a reliable transport's sender makes of random loss in the long run. One per file.

#include <functional>

#include "models/base/table.hpp"
#include "models/base/units.hpp"

namespace models {
class Params;
}

namespace topologies {

// A path as one connection sees it.
struct LossyPath {
  double events = 0.0;      // per segment sent: a burst of losses is one
  double loss = 0.0;        // share of segments lost
  models::Seconds rtt{};    // without queues
  models::Bytes segment{};  // payload of one
  models::Seconds min_timeout{};
  models::BytesPerSecond rate{};  // of the narrowest link
  models::Bytes queue{};          // in front of it
};

// How a sender learns that the last segments of a message were lost: nothing follows them that would tell it.
// timeout: RFC 6298. probe: it sends the last one again after two round trips (RACK-TLP, RFC 8985 section 7).
enum class TailRecovery { timeout, probe };

struct CongestionControl {
  std::function<models::BytesPerSecond(const LossyPath&)> long_run;  // one connection; at most path.rate
  TailRecovery tail = TailRecovery::timeout;
};
const models::Table<CongestionControl>& congestion_controls();

// Retransmission timer of a steady round trip: RTT + max(min_timeout, 4 deviations), RFC 6298.
inline models::Seconds timeout(const LossyPath& path) { return path.rtt + path.min_timeout; }
// Mean of a sequence of time-outs that double up to 64-fold, over the first one's length: f(p) of PFTK (eq. 29), where
// p is the chance that a retransmission is lost too.
double backed_off(double p);

}  // namespace topologies
