#include "sim/program/program.hpp"

#include <algorithm>

namespace sim {

Seconds PassTimes::forward_total() const {
  Seconds sum{};
  for (const Seconds layer : forward) sum += layer;
  return sum;
}

Seconds PassTimes::backward_total() const {
  Seconds sum{};
  for (auto layer = backward.rbegin(); layer != backward.rend(); ++layer) sum += *layer;
  return sum;
}

Seconds PassTimes::backward_of(const models::Bucket& bucket) const {
  Seconds sum{};
  for (int layer = bucket.last_layer; layer >= bucket.first_layer; --layer)
    sum += backward[static_cast<std::size_t>(layer)];
  return sum;
}

namespace {

// Whether the first member of a node and its last reach the next node over different links.
bool leave_separately(const models::Group& group, const topologies::Fabric& fabric) {
  const auto next = std::find_if(group.node.begin(), group.node.end(),
                                 [&group](int node) { return node != group.node.front(); });
  if (next == group.node.end()) return false;
  const auto local = static_cast<int>(next - group.node.begin());
  const int last = local + static_cast<int>(std::count(next, group.node.end(), *next)) - 1;
  if (local < 2 || last == local) return false;
  const auto links = [&](int from, int to) {
    return fabric.route(static_cast<int>(group.ranks[static_cast<std::size_t>(from)]),
                        static_cast<int>(group.ranks[static_cast<std::size_t>(to)]))
        .links;
  };
  const std::vector<topologies::LinkId> one = links(0, local), other = links(local - 1, last);
  return std::find_first_of(one.begin(), one.end(), other.begin(), other.end()) == one.end();
}

}  // namespace

models::Group group_of(const topologies::World& world, int ranks) {
  models::Group group;
  group.ranks.reserve(static_cast<std::size_t>(ranks));
  for (int host = 0; host < ranks; ++host) group.ranks.push_back(models::Rank{host});
  group.node.assign(world.node.begin(), world.node.begin() + ranks);
  group.separate_ways = leave_separately(group, world.fabric);
  return group;
}

Program plan(const Job& job, const topologies::World& world, OnOutOfMemory policy) {
  Program program;
  if (const TrainingJob* training = std::get_if<TrainingJob>(&job)) {
    program.role = plan_training(*training, world, policy, program.warnings);
  } else {
    program.role = plan_collective(std::get<CollectiveJob>(job), world);
  }
  return program;
}

}  // namespace sim
