#pragma once
// Transports: what a protocol makes of a link's rate. One per file.

#include "models/base/table.hpp"
#include "topologies/fabric/fabric.hpp"

namespace models {
class Params;
}

namespace topologies {

const models::Table<Transport>& transports();

// The keys every protocol has, over its defaults.
Transport read_protocol(models::Params& params, Transport defaults);

}  // namespace topologies
