#pragma once
// Where a play stands that was one event so far, so that it can go on transfer by transfer.

#include <cstdint>
#include <vector>

#include "models/collective/collective.hpp"
#include "sim/engine/expanded_play.hpp"
#include "sim/engine/known_group.hpp"
#include "sim/engine/network/collapsed.hpp"
#include "sim/engine/network/network.hpp"

namespace sim {

struct Standing {
  Position position;
  std::int64_t transfers_ended = 0;
};
// `elapsed` seconds after the begin of an exact plan that kept its transfers. Adds what was carried until then to
// `carriage`. In an exact plan the transfers of a round that cross one link begin and end together.
Standing standing_at(double elapsed, const models::Group& group, const CollapsedPlan& plan, double element_bytes,
                     RouteCache& routes, Carriage& carriage);

}  // namespace sim
