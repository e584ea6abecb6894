#pragma once
// The collective job: one collective of each size, from an idle network, as nccl-tests reports them.

#include "sim/engine/simulate.hpp"
#include "sim/program/program.hpp"

namespace sim {

Result run_collectives(const CollectiveProgram& program, const topologies::World& world, const Options& options);

// What nccl-tests calls a size, as the elements of one call: all_gather and reduce_scatter count the gathered vector,
// all_to_all one rank's send buffer. Whole elements only: never fewer than one.
std::int64_t demanded_elements(models::CollectiveKind kind, Bytes size, Bytes element_size, int ranks);

}  // namespace sim
