// Every member sends to its successor only; n-1 rounds reduce and scatter, n-1 rounds gather.
// Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 2009.

#include "models/collective/parts.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

constexpr std::int64_t wrapped(std::int64_t i, std::int64_t n) { return ((i % n) + n) % n; }

// Member i ends with slice i complete.
Phase reduce_scatter(int n, std::int64_t elements) {
  return {n - 1, pattern(PatternFamily::ring), [n, elements](std::int64_t round, std::vector<Transfer>& out) {
            for (int i = 0; i < n; ++i)
              out.push_back({i, (i + 1) % n, slice(elements, n, wrapped(i - round - 1, n)), Combine::add});
          }};
}

// Member i begins with slice i.
Phase all_gather(int n, std::int64_t elements) {
  return {n - 1, pattern(PatternFamily::ring), [n, elements](std::int64_t round, std::vector<Transfer>& out) {
            for (int i = 0; i < n; ++i)
              out.push_back({i, (i + 1) % n, slice(elements, n, wrapped(i - round, n)), Combine::copy});
          }};
}

}  // namespace

Schedule ring_schedule(const Group& group, const Demand& demand) {
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  switch (demand.kind) {
    case CollectiveKind::all_reduce:
      return {reduce_scatter(n, demand.elements), all_gather(n, demand.elements)};
    case CollectiveKind::reduce_scatter:
      return {reduce_scatter(n, demand.elements)};
    case CollectiveKind::all_gather:
      return {all_gather(n, demand.elements)};
    default:
      break;
  }
  throw Bug("the ring has no schedule for this kind");
}

CollectiveAlgorithm read_ring(Params&) {
  return {{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather}, ring_schedule};
}

}  // namespace models
