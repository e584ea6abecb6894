#pragma once
// Over a transport that loses for good, only exchanges of one hop have a meaning: what a member passes on must be its
// own. Design section 2, "Loss".

#include <optional>
#include <string>

#include "models/base/error.hpp"
#include "models/collective/collective.hpp"
#include "topologies/fabric/world.hpp"

namespace sim {

// A link that loses without sending again, as an error message names it.
std::optional<std::string> lossy_for_good(const topologies::World& world);
// Whether no member of the schedule sends a part of what it received.
bool is_direct(const models::Schedule& schedule, int members);
// "all_to_all by pairwise, all_gather by direct": what is legal over such a link.
std::string direct_exchanges();
// Throws Error at `place` when the collective passes parts on over such a link. `algorithm` may be "auto".
void check_direct(const topologies::World& world, const models::Group& group, models::CollectiveKind kind,
                  const std::string& algorithm, models::Bytes size, const models::Place& place);

}  // namespace sim
