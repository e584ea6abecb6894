// NCCL's ring seen from the network cards. It enters and leaves every node once, and its many hops inside the nodes,
// several steps ahead in their buffers, hide behind the cards: so a round is one hop from node to node, and the members
// of a node add to their leader what the next round sends and copy from it what the last one brought.
// Jeaugey, NCCL 2.0, GTC 2017.
// Differs from the source: slices of N members begin and end inside nodes, so all but one in each node cross the cards
// twice more, 2(N-1)/N of the vector in all; those crossings come last here, as copies of what is there already.

#include "models/collective/leaders.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

constexpr std::int64_t extra_crossings = 2;

constexpr std::int64_t wrapped(std::int64_t i, std::int64_t n) { return ((i % n) + n) % n; }

struct Ring {
  std::shared_ptr<const Leaders> all;
  std::int64_t elements = 0;

  ElementRange part(std::int64_t j) const { return slice(elements, all->nodes, wrapped(j, all->nodes)); }
  void onward(std::int64_t j, ElementRange part_of_it, Combine combine, std::vector<Transfer>& out) const {
    out.push_back({all->leader(j), all->leader((j + 1) % all->nodes), part_of_it, combine});
  }
  void to_leader(std::int64_t j, ElementRange part_of_it, std::vector<Transfer>& out) const {
    for (std::int64_t l = 1; l < all->local; ++l)
      out.push_back({all->at(j, l), all->leader(j), part_of_it, Combine::add});
  }
  void from_leader(std::int64_t j, ElementRange part_of_it, std::vector<Transfer>& out) const {
    for (std::int64_t l = 1; l < all->local; ++l)
      out.push_back({all->leader(j), all->at(j, l), part_of_it, Combine::copy});
  }
};

PatternId step(std::int64_t which) { return pattern(PatternFamily::nccl_ring, {which}); }

Schedule schedule(const Group& group, const Demand& demand) {
  ensure(demand.kind == CollectiveKind::all_reduce, "nccl_ring is an all-reduce");
  if (group.size() < 2 || demand.elements == 0) return {};
  const Ring ring{leaders_of(group), demand.elements};
  const std::int64_t n = ring.all->nodes, local = ring.all->local;
  Schedule phases;
  if (local > 1)
    phases.push_back({1, step(0), [ring, n](std::int64_t, std::vector<Transfer>& out) {
                        for (std::int64_t j = 0; j < n; ++j) ring.to_leader(j, ring.part(j - 1), out);
                      }});
  phases.push_back({n - 1, step(1), [ring, n](std::int64_t round, std::vector<Transfer>& out) {
                      for (std::int64_t j = 0; j < n; ++j) {
                        ring.onward(j, ring.part(j - round - 1), Combine::add, out);
                        ring.to_leader(j, ring.part(j - round - 2), out);
                      }
                    }});
  phases.push_back({n - 1, step(2), [ring, n](std::int64_t round, std::vector<Transfer>& out) {
                      for (std::int64_t j = 0; j < n; ++j) {
                        ring.onward(j, ring.part(j - round), Combine::copy, out);
                        ring.from_leader(j, ring.part(j - round), out);
                      }
                    }});
  if (local == 1) return phases;
  phases.push_back({1, step(3), [ring, n](std::int64_t, std::vector<Transfer>& out) {
                      for (std::int64_t j = 0; j < n; ++j) ring.from_leader(j, ring.part(j + 1), out);
                    }});
  phases.push_back(
      {extra_crossings, step(4), [ring, n, local](std::int64_t round, std::vector<Transfer>& out) {
         for (std::int64_t j = 0; j < n; ++j) {
           const ElementRange whole = ring.part(j + 1 - round);
           ring.onward(j, {whole.begin, whole.count - slice(whole.count, local, local - 1).count}, Combine::copy, out);
         }
       }});
  return phases;
}

}  // namespace

CollectiveAlgorithm read_nccl_ring(Params&) { return {{CollectiveKind::all_reduce}, schedule}; }

}  // namespace models
