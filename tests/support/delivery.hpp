#pragma once
// Plays a collective's schedule on vectors that count contributions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "models/collective/collective.hpp"

namespace support {

// How often the contribution of each origin is in each element a member holds.
struct Vectors {
  int n;
  std::int64_t elements;
  std::vector<int> counts;  // [member][element][origin]
  Vectors(int members, std::int64_t length)
      : n(members),
        elements(length),
        counts(static_cast<std::size_t>(n) * static_cast<std::size_t>(length) * static_cast<std::size_t>(n)) {}
  int& at(int member, std::int64_t element, int origin) {
    return counts[(static_cast<std::size_t>(member) * static_cast<std::size_t>(elements) +
                   static_cast<std::size_t>(element)) *
                      static_cast<std::size_t>(n) +
                  static_cast<std::size_t>(origin)];
  }
};

// Plays a schedule round by round on what every member held at the start of the round.
inline void play(const models::Schedule& schedule, Vectors& vectors) {
  std::vector<models::Transfer> transfers;
  for (const models::Phase& phase : schedule)
    for (std::int64_t round = 0; round < phase.repeats; ++round) {
      transfers.clear();
      phase.fill(round, transfers);
      Vectors before = vectors;
      for (const models::Transfer& transfer : transfers)
        for (std::int64_t e = transfer.elements.begin; e < transfer.elements.begin + transfer.elements.count; ++e)
          for (int origin = 0; origin < vectors.n; ++origin) {
            int& held = vectors.at(transfer.to, e, origin);
            const int sent = before.at(transfer.from, e, origin);
            held = transfer.combine == models::Combine::add ? held + sent : sent;
          }
    }
}

inline bool inside(models::ElementRange range, std::int64_t element) {
  return element >= range.begin && element < range.begin + range.count;
}

// What member `member` must hold of `element` at the start and at the end; nullopt: it may hold anything.
using Holding = std::optional<std::set<int>>;
inline std::set<int> everyone(int n) {
  std::set<int> all;
  for (int i = 0; i < n; ++i) all.insert(i);
  return all;
}
inline Holding at_start(const models::Demand& demand, int n, int member, std::int64_t element) {
  switch (demand.kind) {
    case models::CollectiveKind::all_gather:
      return inside(models::slice(demand.elements, n, member), element) ? Holding{{member}} : Holding{std::set<int>{}};
    case models::CollectiveKind::broadcast:
      return member == demand.root ? Holding{{member}} : Holding{std::set<int>{}};
    default:
      return Holding{{member}};
  }
}
inline Holding at_end(const models::Demand& demand, int n, int member, std::int64_t element) {
  switch (demand.kind) {
    case models::CollectiveKind::all_reduce:
      return everyone(n);
    case models::CollectiveKind::reduce_scatter:
      if (inside(models::slice(demand.elements, n, member), element)) return everyone(n);
      return {};
    case models::CollectiveKind::all_gather:
      for (int i = 0; i < n; ++i)
        if (inside(models::slice(demand.elements, n, i), element)) return Holding{{i}};
      return {};
    case models::CollectiveKind::broadcast:
      return Holding{{demand.root}};
    case models::CollectiveKind::all_to_all:
      for (int i = 0; i < n; ++i)
        if (inside(models::slice(demand.elements, std::int64_t{n} * n, std::int64_t{i} * n + member), element))
          return Holding{{i}};
      return {};
  }
  return {};
}

// 0: every member holds in the end what the kind promises it, each contribution exactly once.
inline int wrong_contributions(const models::Collective& schedule, const models::Group& group,
                               const models::Demand& demand) {
  const int n = group.size();
  Vectors vectors(n, demand.elements);
  for (int member = 0; member < n; ++member)
    for (std::int64_t e = 0; e < demand.elements; ++e) {
      const Holding holding = at_start(demand, n, member, e);
      for (const int origin : *holding) vectors.at(member, e, origin) = 1;
    }
  play(schedule(group, demand), vectors);
  int wrong = 0;
  for (int member = 0; member < n; ++member)
    for (std::int64_t e = 0; e < demand.elements; ++e) {
      const Holding wanted = at_end(demand, n, member, e);
      if (!wanted) continue;
      for (int origin = 0; origin < n; ++origin)
        wrong += vectors.at(member, e, origin) != (wanted->count(origin) ? 1 : 0);
    }
  return wrong;
}

}  // namespace support
