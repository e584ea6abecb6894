#pragma once
// Schedules of several parts that go on side by side: levels of a pipelined tree, rings of their own members.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "models/collective/patterns.hpp"

namespace models {

// `rounds` rounds from round `begin` of the whole on, all with the same pairs.
struct Strand {
  std::int64_t begin = 0, rounds = 0;
  std::function<void(std::int64_t step, std::vector<Transfer>&)> fill;
  // As Phase::pieces; of all strands or of none. `transfers`: of each round, needed with it.
  std::function<void(std::int64_t step, std::size_t transfer, std::vector<ElementRange>&)> pieces{};
  std::size_t transfers = 0;
};

// One phase between any two moments at which a strand begins or ends; in every round some strand is under way. `family`
// and `what` tell the strands' pairs in their order; with the strands under way they make the pattern's number. A round
// costs its transfers and a look at each strand.
Schedule side_by_side(std::vector<Strand> strands, PatternFamily family, std::initializer_list<std::int64_t> what);

// The rounds in reverse, every transfer the other way and added: an all-gather in which each element comes to each
// member once becomes a reduce-scatter.
Schedule backwards(Schedule schedule);

}  // namespace models
