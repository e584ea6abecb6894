// All-gather and all-to-all in ceil(log2 n) rounds for any n. All-gather: across distance d each member sends the d
// blocks it has from itself on, so their number doubles. All-to-all: a block d places from home travels by the bits of
// d, with all others that share the bit; each round sends half of a member's blocks.
// Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all communications in multiport
// message-passing systems, IEEE TPDS 1997, sections 2 and 4. A round costs O(n).

#include <algorithm>

#include "models/collective/islands.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

Phase gather_across(std::int64_t n, std::int64_t elements, std::int64_t distance) {
  const std::int64_t blocks = std::min(distance, n - distance);
  const auto begin = [n, elements](std::int64_t block) {
    return block == n ? elements : slice(elements, n, block).begin;
  };
  // Blocks i .. i + blocks - 1, the part beyond the end from the beginning.
  const auto upper = [=](std::int64_t i) { return ElementRange{begin(i), begin(std::min(i + blocks, n)) - begin(i)}; };
  const auto lower = [=](std::int64_t i) { return ElementRange{0, i + blocks > n ? begin(i + blocks - n) : 0}; };
  return {1, pattern(PatternFamily::bruck_back, {distance}),
          [=](std::int64_t, std::vector<Transfer>& out) {
            for (std::int64_t i = 0; i < n; ++i)
              out.push_back({static_cast<int>(i),
                             static_cast<int>(wrapped(i - distance, n)),
                             {0, upper(i).count + lower(i).count},
                             Combine::copy});
          },
          [=](std::int64_t, std::size_t transfer, std::vector<ElementRange>& out) {
            const auto i = static_cast<std::int64_t>(transfer);
            out.push_back(upper(i));
            if (lower(i).count > 0) out.push_back(lower(i));
          }};
}

// Calls take(block) for every block that `holder` sends across `distance`: those with the bit in their way, which have
// gone the lower bits of it.
template <class Take>
void for_each_block(std::int64_t n, std::int64_t elements, std::int64_t distance, std::int64_t holder,
                    const Take& take) {
  for (std::int64_t base = distance; base < n; base += 2 * distance)
    for (std::int64_t way = base; way < std::min(base + distance, n); ++way) {
      const std::int64_t source = wrapped(holder - (way & (distance - 1)), n);
      take(slice(elements, n * n, source * n + (source + way) % n));
    }
}

std::int64_t blocks_with_bit(std::int64_t n, std::int64_t distance) {
  const std::int64_t whole = n / (2 * distance), rest = n % (2 * distance);
  return whole * distance + std::max<std::int64_t>(0, rest - distance);
}

Phase exchange_across(std::int64_t n, std::int64_t elements, std::int64_t distance) {
  return {1, pattern(PatternFamily::bruck_forth, {distance}),
          [=](std::int64_t, std::vector<Transfer>& out) {
            const std::int64_t equal =
                elements % (n * n) == 0 ? blocks_with_bit(n, distance) * (elements / (n * n)) : -1;
            for (std::int64_t i = 0; i < n; ++i) {
              std::int64_t count = std::max<std::int64_t>(equal, 0);
              if (equal < 0)
                for_each_block(n, elements, distance, i, [&count](ElementRange block) { count += block.count; });
              out.push_back({static_cast<int>(i), static_cast<int>((i + distance) % n), {0, count}, Combine::copy});
            }
          },
          [=](std::int64_t, std::size_t transfer, std::vector<ElementRange>& out) {
            for_each_block(n, elements, distance, static_cast<std::int64_t>(transfer),
                           [&out](ElementRange block) { out.push_back(block); });
          }};
}

Schedule schedule(const Group& group, const Demand& demand) {
  ensure(demand.kind == CollectiveKind::all_gather || demand.kind == CollectiveKind::all_to_all,
         "bruck has a schedule for this kind");
  if (!demand.pairs.empty())
    throw Error(Place{}, "bruck exchanges messages of one size only", "pairwise and direct take pairs of any size");
  const int n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  Schedule phases;
  for (std::int64_t distance = 1; distance < n; distance *= 2)
    phases.push_back(demand.kind == CollectiveKind::all_gather ? gather_across(n, demand.elements, distance)
                                                               : exchange_across(n, demand.elements, distance));
  return phases;
}

}  // namespace

CollectiveAlgorithm read_bruck(Params&) { return {{CollectiveKind::all_gather, CollectiveKind::all_to_all}, schedule}; }

}  // namespace models
