#pragma once
// Long-run rate of a sender with selective acknowledgements, RACK and tail-loss probes; shared by linux and linux_reno.

#include "topologies/congestion/congestion.hpp"

namespace topologies {

enum class Growth { reno, cubic };
models::BytesPerSecond linux_rate(const LossyPath& path, Growth growth);

}  // namespace topologies
