#pragma once
// Recursive halving and doubling over the largest power of two p <= n of the members. The n - p left over pair up with
// members 0 .. 2 (n - p) - 1: one of each pair takes part for both. Thakur, Rabenseifner and Gropp, IJHPCA 2005.

#include <cstdint>
#include <functional>

#include "models/collective/patterns.hpp"

namespace models {

class Halving {
 public:
  enum class Slices { of_participants, of_members };
  // of_participants: the vector is cut into p slices (all_reduce, reduce); of_members: into n, member i's being slice i
  // (reduce_scatter, all_gather). `root` takes part.
  Halving(std::int64_t n, std::int64_t elements, int root, Slices slices);

  std::int64_t participants() const { return p_; }
  std::int64_t pairs() const { return n_ - p_; }
  int member(std::int64_t participant) const;
  int partner(std::int64_t pair) const;  // the member that participant `pair` takes part for
  std::int64_t participant_of_root() const;
  ElementRange whole() const { return {0, elements_}; }
  ElementRange own(int member) const;  // of_members
  // Slices of `count` participants from `first` on.
  ElementRange region(std::int64_t first, std::int64_t count) const;

  using RangeOfPair = std::function<ElementRange(std::int64_t pair)>;
  // One round in each pair: from the partner to the participant, or back.
  Phase fold(Combine combine, RangeOfPair range) const;
  Phase unfold(RangeOfPair range) const;
  // Distances p/2, p/4, ..., 1: each sends the half that its partner keeps; participant q ends with its own slice.
  void add_halving(Schedule& phases) const;
  // Distances 1, 2, ..., p/2: each sends all it has.
  void add_doubling(Schedule& phases) const;

 private:
  std::int64_t n_, elements_, root_, p_ = 1;
  Slices slices_;
};

}  // namespace models
