#pragma once
// What collectives do to numbers, on the simulation thread's order: element-wise in rank order, whatever the schedule
// on the network. Blocks run in parallel.

#include <cstddef>
#include <span>
#include <vector>

#include "models/algorithm/worker.hpp"

namespace sim {

// What the members of one collective brought, in group order; empty spans everywhere in timing-only runs.
struct Contribution {
  std::span<float> numbers;             // all_reduce
  std::span<const std::byte> outgoing;  // all_to_all: parts by destination; all_gather: mine
  std::span<std::byte> incoming;
};
struct NumericCollective {
  models::CollectiveKind kind = models::CollectiveKind::all_reduce;
  models::Average average = models::Average::sum;
  std::vector<Contribution> members;
};

// Carries out all of them; they touch disjoint memory.
void exchange_numbers(std::span<const NumericCollective* const> collectives);

}  // namespace sim
