#include "models/collective/halving.hpp"

#include <utility>

namespace models {

Halving::Halving(std::int64_t n, std::int64_t elements, int root, Slices slices)
    : n_(n), elements_(elements), root_(root), slices_(slices) {
  ensure(root >= 0 && root < n, "the root is a member of the group");
  while (2 * p_ <= n_) p_ *= 2;
}

int Halving::member(std::int64_t participant) const {
  if (participant >= pairs()) return static_cast<int>(participant + pairs());
  return static_cast<int>(2 * participant + (root_ == 2 * participant + 1 ? 1 : 0));
}

int Halving::partner(std::int64_t pair) const { return member(pair) ^ 1; }

std::int64_t Halving::participant_of_root() const { return root_ < 2 * pairs() ? root_ / 2 : root_ - pairs(); }

ElementRange Halving::own(int member) const { return slice(elements_, n_, member); }

ElementRange Halving::region(std::int64_t first, std::int64_t count) const {
  const std::int64_t parts = slices_ == Slices::of_participants ? p_ : n_;
  const auto begin = [&](std::int64_t participant) {
    std::int64_t part = participant;
    if (slices_ == Slices::of_members) part = participant < pairs() ? 2 * participant : participant + pairs();
    return part == parts ? elements_ : slice(elements_, parts, part).begin;
  };
  return {begin(first), begin(first + count) - begin(first)};
}

Phase Halving::fold(Combine combine, RangeOfPair range) const {
  return {1,
          pattern(PatternFamily::fold, {root_ < 2 * pairs() ? root_ : 0}),
          [self = *this, combine, range = std::move(range)](std::int64_t, std::vector<Transfer>& out) {
            for (std::int64_t q = 0; q < self.pairs(); ++q)
              out.push_back({self.partner(q), self.member(q), range(q), combine});
          },
          {}};
}

Phase Halving::unfold(RangeOfPair range) const {
  return {1,
          pattern(PatternFamily::unfold, {root_ < 2 * pairs() ? root_ : 0}),
          [self = *this, range = std::move(range)](std::int64_t, std::vector<Transfer>& out) {
            for (std::int64_t q = 0; q < self.pairs(); ++q)
              out.push_back({self.member(q), self.partner(q), range(q), Combine::copy});
          },
          {}};
}

namespace {

// The block of `distance` participants that q lies in.
std::int64_t block(std::int64_t q, std::int64_t distance) { return q & ~(distance - 1); }

}  // namespace

void Halving::add_halving(Schedule& phases) const {
  for (std::int64_t distance = p_ / 2; distance >= 1; distance /= 2)
    phases.push_back({1,
                      pattern(PatternFamily::exchange, {distance, root_ < 2 * pairs() ? root_ : 0}),
                      [self = *this, distance](std::int64_t, std::vector<Transfer>& out) {
                        for (std::int64_t q = 0; q < self.p_; ++q)
                          out.push_back({self.member(q), self.member(q ^ distance),
                                         self.region(block(q ^ distance, distance), distance), Combine::add});
                      },
                      {}});
}

void Halving::add_doubling(Schedule& phases) const {
  for (std::int64_t distance = 1; distance < p_; distance *= 2)
    phases.push_back({1,
                      pattern(PatternFamily::exchange, {distance, root_ < 2 * pairs() ? root_ : 0}),
                      [self = *this, distance](std::int64_t, std::vector<Transfer>& out) {
                        for (std::int64_t q = 0; q < self.p_; ++q)
                          out.push_back({self.member(q), self.member(q ^ distance),
                                         self.region(block(q, distance), distance), Combine::copy});
                      },
                      {}});
}

}  // namespace models
