#include <fmt/format.h>

#include "sim/program/program.hpp"

namespace sim {

CollectiveProgram plan_collective(const CollectiveJob& job, const topologies::World& world) {
  const int hosts = world.fabric.host_count();
  const std::int64_t ranks = job.ranks.value == 0 ? hosts : job.ranks.value;
  if (ranks > hosts)
    throw models::Error(job.ranks.place,
                        fmt::format("the collective wants {} ranks, the cluster has {} GPUs", ranks, hosts),
                        fmt::format("give 2 to {}, or a larger topology", hosts));
  if (ranks < 2)
    throw models::Error(
        job.ranks.place, "a collective needs at least 2 ranks",
        hosts < 2 ? "the cluster has 1 GPU: give a larger topology" : fmt::format("give 2 to {}", hosts));
  return {job, group_of(world, static_cast<int>(ranks))};
}

}  // namespace sim
