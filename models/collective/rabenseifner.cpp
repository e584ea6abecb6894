// All-reduce as reduce-scatter by recursive halving and all-gather by recursive doubling; reduce as the same
// reduce-scatter and a gather to the root. Rabenseifner, Optimization of collective reduction operations, ICCS 2004,
// section 4. For a power of two its all-reduce is recursive_halving_doubling. For another n the members of a pair halve
// the vector between them first, so that both add: as many rounds more by one, half a vector per link and round.

#include "models/collective/halving.hpp"

namespace models {

namespace {

ElementRange half(std::int64_t elements, std::int64_t which) { return slice(elements, 2, which); }

// Both halves change sides and are added: a participant has the sum of the first, its partner of the second.
Phase swap_halves(const Halving& halving, int root) {
  const std::int64_t elements = halving.whole().count;
  return {1,
          pattern(PatternFamily::swap, {root < 2 * halving.pairs() ? root : 0}),
          [halving, elements](std::int64_t, std::vector<Transfer>& out) {
            for (std::int64_t q = 0; q < halving.pairs(); ++q) {
              out.push_back({halving.member(q), halving.partner(q), half(elements, 1), Combine::add});
              out.push_back({halving.partner(q), halving.member(q), half(elements, 0), Combine::add});
            }
          },
          {}};
}

// To the root's participant: across distance d, those whose number differs from its in bit d and in no lower one send
// the block they have gathered.
void add_gather(const Halving& halving, int root, Schedule& phases) {
  const std::int64_t target = halving.participant_of_root();
  for (std::int64_t distance = 1; distance < halving.participants(); distance *= 2)
    phases.push_back({1,
                      pattern(PatternFamily::gather_halves, {distance, root}),
                      [halving, target, distance](std::int64_t, std::vector<Transfer>& out) {
                        const std::int64_t first = (target & (distance - 1)) ^ ((target & distance) ^ distance);
                        for (std::int64_t q = first; q < halving.participants(); q += 2 * distance)
                          out.push_back({halving.member(q), halving.member(q ^ distance),
                                         halving.region(q & ~(distance - 1), distance), Combine::copy});
                      },
                      {}});
}

Schedule schedule(const Group& group, const Demand& demand) {
  const int n = group.size();
  ensure(demand.kind == CollectiveKind::all_reduce || demand.kind == CollectiveKind::reduce,
         "rabenseifner has a schedule for this kind");
  if (n < 2 || demand.elements == 0) return {};
  const bool all = demand.kind == CollectiveKind::all_reduce;
  const int root = all ? 0 : demand.root;
  const Halving halving(n, demand.elements, root, Halving::Slices::of_participants);
  Schedule phases;
  if (halving.pairs() > 0) {
    phases.push_back(swap_halves(halving, root));
    phases.push_back(
        halving.fold(Combine::copy, [elements = demand.elements](std::int64_t) { return half(elements, 1); }));
  }
  halving.add_halving(phases);
  if (!all) {
    add_gather(halving, root, phases);
    return phases;
  }
  halving.add_doubling(phases);
  if (halving.pairs() > 0) phases.push_back(halving.unfold([halving](std::int64_t) { return halving.whole(); }));
  return phases;
}

}  // namespace

CollectiveAlgorithm read_rabenseifner(Params&) {
  return {{CollectiveKind::all_reduce, CollectiveKind::reduce}, schedule};
}

}  // namespace models
