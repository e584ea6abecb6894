// One round between the root and everyone else at once: the root's link carries every message.
// The "linear" algorithm of MPI libraries: Chan, Heimlich, Purkayastha and van de Geijn, Collective communication:
// theory, practice, and experience, CCPE 2007, section 4 (minimum-spanning-tree and simple algorithms).

#include "models/collective/patterns.hpp"

namespace models {

namespace {

bool sliced(CollectiveKind kind) { return kind == CollectiveKind::gather || kind == CollectiveKind::scatter; }
bool to_root(CollectiveKind kind) { return kind == CollectiveKind::gather || kind == CollectiveKind::reduce; }

Schedule schedule(const Group& group, const Demand& demand) {
  ensure(sliced(demand.kind) || demand.kind == CollectiveKind::reduce || demand.kind == CollectiveKind::broadcast,
         "linear has a schedule for this kind");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  ensure(demand.root >= 0 && demand.root < n, "the root is a member of the group");
  const PatternFamily family = to_root(demand.kind) ? PatternFamily::to_root : PatternFamily::from_root;
  const Combine combine = demand.kind == CollectiveKind::reduce ? Combine::add : Combine::copy;
  return {{1,
           pattern(family, {demand.root}),
           [n, kind = demand.kind, elements = demand.elements, root = demand.root, combine](
               std::int64_t, std::vector<Transfer>& out) {
             for (int i = 0; i < n; ++i) {
               if (i == root) continue;
               const ElementRange range = sliced(kind) ? slice(elements, n, i) : ElementRange{0, elements};
               out.push_back({to_root(kind) ? i : root, to_root(kind) ? root : i, range, combine});
             }
           },
           {}}};
}

}  // namespace

CollectiveAlgorithm read_linear(Params&) {
  return {{CollectiveKind::gather, CollectiveKind::scatter, CollectiveKind::reduce, CollectiveKind::broadcast},
          schedule};
}

}  // namespace models
