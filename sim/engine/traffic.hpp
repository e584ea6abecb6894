#pragma once
// Traffic of a run: links by use, bottlenecks, bytes by rank, and the check that none is lost or made up.

#include "sim/engine/machine.hpp"

namespace sim {

// Fills links, bottlenecks, bytes and rank_bytes. Throws models::Bug when bytes are not conserved.
void add_traffic(Result& result, const Machine& machine, Seconds run_time);

// Of every sender: sent + retransmitted = delivered + lost; all together: delivered = received. At every vertex: what
// its links carry away less what they bring = what it sent less what it received.
void check_conservation(const topologies::Fabric& fabric, const std::vector<int>& node,
                        const std::vector<Network::Usage>& links, const Ledger& ledger);

}  // namespace sim
