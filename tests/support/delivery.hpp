#pragma once
// Plays a collective's schedule on vectors that count contributions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/collective/collective.hpp"

namespace support {

// A multiset of origins as the sum of their weights modulo 2^64. The weights are fixed and look random, so that two
// different small multisets have the same sum with a chance of 2^-64.
using Multiset = std::uint64_t;
inline Multiset weight(int origin) {  // SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)
  std::uint64_t z = (static_cast<std::uint64_t>(origin) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Contributions in each element that each member holds.
struct Vectors {
  std::int64_t elements;
  std::vector<Multiset> held;  // [member][element]
  Vectors(int members, std::int64_t length)
      : elements(length), held(static_cast<std::size_t>(members) * static_cast<std::size_t>(length)) {}
  Multiset& at(int member, std::int64_t element) {
    return held[static_cast<std::size_t>(member) * static_cast<std::size_t>(elements) +
                static_cast<std::size_t>(element)];
  }
};

// The ranges of the `index`th transfer of a round.
inline void ranges_of(const models::Phase& phase, std::int64_t round, const models::Transfer& transfer,
                      std::size_t index, std::vector<models::ElementRange>& ranges) {
  ranges.clear();
  if (phase.pieces)
    phase.pieces(round, index, ranges);
  else
    ranges.push_back(transfer.elements);
}

// Plays a schedule round by round on what every member held at the start of the round. Returns how many transfers say
// another number of elements than their ranges hold.
inline int play(const models::Schedule& schedule, Vectors& vectors) {
  struct Arrival {
    int to;
    std::int64_t element;
    models::Combine combine;
    Multiset value;
  };
  std::vector<models::Transfer> transfers;
  std::vector<models::ElementRange> ranges;
  std::vector<Arrival> arrivals;
  int miscounted = 0;
  for (const models::Phase& phase : schedule)
    for (std::int64_t round = 0; round < phase.repeats; ++round) {
      transfers.clear();
      arrivals.clear();
      phase.fill(round, transfers);
      for (std::size_t i = 0; i < transfers.size(); ++i) {
        ranges_of(phase, round, transfers[i], i, ranges);
        std::int64_t count = 0;
        for (const models::ElementRange& range : ranges) {
          count += range.count;
          for (std::int64_t e = range.begin; e < range.begin + range.count; ++e)
            arrivals.push_back({transfers[i].to, e, transfers[i].combine, vectors.at(transfers[i].from, e)});
        }
        miscounted += count != transfers[i].elements.count;
      }
      for (const Arrival& arrival : arrivals) {
        Multiset& held = vectors.at(arrival.to, arrival.element);
        held = arrival.combine == models::Combine::add ? held + arrival.value : arrival.value;
      }
    }
  return miscounted;
}

// Who has something at the start, and what must be held at the end; nothing: anything.
inline Multiset everyone(int n) {
  Multiset all = 0;
  for (int i = 0; i < n; ++i) all += weight(i);
  return all;
}
// By element: the member whose slice it is (all_gather, reduce_scatter, gather, scatter, send_recv), or the pair it
// belongs to.
struct Owner {
  int from = -1, to = -1;
};
inline std::vector<Owner> owners(const models::Demand& demand, int n) {
  using models::CollectiveKind;
  std::vector<Owner> all(static_cast<std::size_t>(demand.elements));
  const auto own = [&](models::ElementRange range, Owner owner) {
    for (std::int64_t e = range.begin; e < range.begin + range.count; ++e) all[static_cast<std::size_t>(e)] = owner;
  };
  if (!demand.pairs.empty()) {
    std::int64_t next = 0;
    for (const models::PairDemand& pair : demand.pairs) {
      own({next, pair.elements}, {pair.from, pair.to});
      next += pair.elements;
    }
  } else if (demand.kind == CollectiveKind::all_to_all) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        own(models::slice(demand.elements, std::int64_t{n} * n, std::int64_t{i} * n + j), {i, j});
  } else {
    for (int i = 0; i < n; ++i) own(models::slice(demand.elements, n, i), {i, (i + 1) % n});
  }
  return all;
}
inline Multiset at_start(const models::Demand& demand, const Owner& owner, int member) {
  using models::CollectiveKind;
  switch (demand.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce:
      return weight(member);
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return member == demand.root ? weight(member) : 0;
    case CollectiveKind::all_gather:
    case CollectiveKind::gather:
    case CollectiveKind::send_recv:
    case CollectiveKind::all_to_all:
    case CollectiveKind::neighbor_exchange:
      return member == owner.from ? weight(member) : 0;
  }
  return 0;
}
inline std::optional<Multiset> at_end(const models::Demand& demand, const Owner& owner, int n, int member) {
  using models::CollectiveKind;
  const auto only = [](bool wanted, Multiset value) { return wanted ? std::optional(value) : std::nullopt; };
  switch (demand.kind) {
    case CollectiveKind::all_reduce:
      return everyone(n);
    case CollectiveKind::reduce:
      return only(member == demand.root, everyone(n));
    case CollectiveKind::reduce_scatter:
      return only(member == owner.from, everyone(n));
    case CollectiveKind::broadcast:
      return weight(demand.root);
    case CollectiveKind::scatter:
      return only(member == owner.from, weight(demand.root));
    case CollectiveKind::all_gather:
      return weight(owner.from);
    case CollectiveKind::gather:
      return only(member == demand.root, weight(owner.from));
    case CollectiveKind::send_recv:
    case CollectiveKind::all_to_all:
    case CollectiveKind::neighbor_exchange:
      return only(member == owner.to, weight(owner.from));
  }
  return {};
}

// 0: every member holds in the end what the kind promises it, each contribution exactly once. Members at or behind
// `silent_from` bring nothing and are promised nothing.
inline int wrong_contributions(const models::Collective& schedule, const models::Group& group,
                               const models::Demand& demand, std::optional<int> silent_from = {}) {
  const int n = group.size(), speaking = silent_from.value_or(n);
  Vectors vectors(n, demand.elements);
  const std::vector<Owner> owner = owners(demand, n);
  for (int member = 0; member < speaking; ++member)
    for (std::int64_t e = 0; e < demand.elements; ++e)
      vectors.at(member, e) = at_start(demand, owner[static_cast<std::size_t>(e)], member);
  int wrong = play(schedule(group, demand), vectors);
  for (int member = 0; member < speaking; ++member)
    for (std::int64_t e = 0; e < demand.elements; ++e) {
      const std::optional<Multiset> wanted = at_end(demand, owner[static_cast<std::size_t>(e)], speaking, member);
      if (wanted) wrong += vectors.at(member, e) != *wanted;
    }
  return wrong;
}

}  // namespace support
