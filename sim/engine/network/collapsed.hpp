#pragma once
// Collapsed: what a schedule costs when nothing else is on the network, from one max-min solution per distinct pattern.

#include <cstdint>
#include <vector>

#include "models/collective/collective.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/network/sharing.hpp"

namespace sim {

// Transfers of one round with equal delay, rate and elements. They cross links[i] usage[i] times.
struct TransferClass {
  double delay = 0.0, rate = 0.0;  // seconds; bytes/s
  double elements = 0.0;           // of one transfer
  std::int64_t transfers = 0;
  std::vector<topologies::LinkId> links;
  std::vector<std::int32_t> usage;
  std::vector<char> full{};  // by link: whether the round takes all of its capacity
  double seconds(double element_bytes) const { return delay + elements * element_bytes / rate; }
};

// Rounds of equal transfers.
struct CollapsedPhase {
  std::int64_t rounds = 0;
  std::vector<TransferClass> classes;
  std::vector<int> from, to;                   // of every transfer, in the schedule's order
  std::vector<std::uint16_t> class_of;         // likewise
  double round_s(double element_bytes) const;  // of the slowest class
};

// `exact`: plays as long as when every transfer is a flow of its own, and the class times hold for every transfer at
// any moment:
//  - lockstep: every transfer of a round ends at once, and only members of the round before send; or, in the last
//  phase,
//  - drift: no two transfers of the pattern share a link, so that the slowest transfer, repeated, sets the pace
//  (max-plus); or
//  - a single last round whose classes share no link.
struct CollapsedPlan {
  std::vector<CollapsedPhase> phases;
  bool exact = true;
  double duration_s(double element_bytes) const;
};

enum class KeepTransfers { no, yes };
// Very long schedules of large groups are sampled, and not exact. Where routes draw a message's delay, every one takes
// the mean, and the plan is not exact. `element_bytes` counts where sizes matter to the routes: then the plan holds for
// that size only.
CollapsedPlan collapse(const models::Group& group, const models::Schedule& schedule, RouteCache& routes,
                       Sharing& sharing, KeepTransfers keep, double element_bytes = 0.0);

}  // namespace sim
