#pragma once
// The collective job: one collective of each size, from an idle network, as nccl-tests reports them.

#include "sim/engine/simulate.hpp"
#include "sim/program/program.hpp"

namespace sim {

Result run_collectives(const CollectiveProgram& program, const topologies::World& world, const Options& options);

// What nccl-tests calls a size, as the elements of one call: all_gather, reduce_scatter, gather and scatter count the
// whole vector, all_to_all and send_recv one rank's send buffer. Whole elements only: never fewer than one. With pairs
// a size is that of a message of share 1.
std::int64_t demanded_elements(models::CollectiveKind kind, Bytes size, Bytes element_size, int ranks);

}  // namespace sim
