#pragma once
// What the links between the members of a group have in common.

#include <string>

#include "models/base/error.hpp"
#include "models/collective/protocol.hpp"
#include "topologies/fabric/fabric.hpp"

namespace sim {

// Protocols of the links that every member crosses to its successor when these are all of one kind; else none. They
// live as long as the fabric.
const models::Protocols& protocols_between(const models::Group& group, const topologies::Fabric& fabric);
// Throws models::Error at `place` when those links have no such protocol ("auto" is always known).
void check_protocol(const std::string& protocol, const models::Group& group, const topologies::Fabric& fabric,
                    const models::Place& place);

}  // namespace sim
