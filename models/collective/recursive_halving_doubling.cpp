// Reduce-scatter by recursive halving, all-gather by recursive doubling, all-reduce as both: log2 n rounds each at the
// bytes of a ring. Another n than a power of two: members pair up first and last, which costs two whole vectors more.
// Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 2005, sections
// 4.1 (doubling), 4.2 (halving) and 4.5.

#include "models/collective/halving.hpp"

namespace models {

namespace {

Schedule all_reduce(std::int64_t n, std::int64_t elements) {
  const Halving halving(n, elements, 0, Halving::Slices::of_participants);
  const auto whole = [all = halving.whole()](std::int64_t) { return all; };
  Schedule phases;
  if (halving.pairs() > 0) phases.push_back(halving.fold(Combine::add, whole));
  halving.add_halving(phases);
  halving.add_doubling(phases);
  if (halving.pairs() > 0) phases.push_back(halving.unfold(whole));
  return phases;
}

Schedule reduce_scatter(std::int64_t n, std::int64_t elements) {
  const Halving halving(n, elements, 0, Halving::Slices::of_members);
  Schedule phases;
  if (halving.pairs() > 0)
    phases.push_back(halving.fold(Combine::add, [halving](std::int64_t) { return halving.whole(); }));
  halving.add_halving(phases);
  if (halving.pairs() > 0)
    phases.push_back(halving.unfold([halving](std::int64_t q) { return halving.own(halving.partner(q)); }));
  return phases;
}

Schedule all_gather(std::int64_t n, std::int64_t elements) {
  const Halving halving(n, elements, 0, Halving::Slices::of_members);
  Schedule phases;
  if (halving.pairs() > 0)
    phases.push_back(
        halving.fold(Combine::copy, [halving](std::int64_t q) { return halving.own(halving.partner(q)); }));
  halving.add_doubling(phases);
  if (halving.pairs() > 0) phases.push_back(halving.unfold([halving](std::int64_t) { return halving.whole(); }));
  return phases;
}

Schedule schedule(const Group& group, const Demand& demand) {
  const int n = group.size();
  ensure(demand.kind == CollectiveKind::all_reduce || demand.kind == CollectiveKind::reduce_scatter ||
             demand.kind == CollectiveKind::all_gather,
         "recursive_halving_doubling has a schedule for this kind");
  if (n < 2 || demand.elements == 0) return {};
  if (demand.kind == CollectiveKind::all_reduce) return all_reduce(n, demand.elements);
  if (demand.kind == CollectiveKind::reduce_scatter) return reduce_scatter(n, demand.elements);
  return all_gather(n, demand.elements);
}

}  // namespace

CollectiveAlgorithm read_recursive_halving_doubling(Params&) {
  return {{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather}, schedule};
}

}  // namespace models
