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

models::Group group_of(const topologies::World& world, int ranks) {
  models::Group group;
  group.ranks.reserve(static_cast<std::size_t>(ranks));
  for (int host = 0; host < ranks; ++host) group.ranks.push_back(models::Rank{host});
  group.node.assign(world.node.begin(), world.node.begin() + ranks);
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
