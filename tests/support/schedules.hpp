#pragma once
// Groups, demands and schedules for tests of collectives.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/defaults.hpp"
#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/collective/collective.hpp"

namespace support {

// `local` members on each node, in node order.
inline models::Group group_of(int size, int local = 4) {
  models::Group group;
  for (int i = 0; i < size; ++i) {
    group.ranks.push_back(models::Rank{i});
    group.node.push_back(i / local);
  }
  return group;
}

// Nodes of the given sizes; `mixed`: members of the nodes alternate in group order while they last.
inline models::Group group_with(const std::vector<int>& nodes, bool mixed = false) {
  models::Group group;
  std::vector<int> left = nodes;
  const auto append = [&group](std::size_t node) {
    group.ranks.push_back(models::Rank{group.size()});
    group.node.push_back(static_cast<int>(node));
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t node = 0; node < left.size(); ++node)
      for (; left[node] > 0; --left[node]) {
        append(node);
        more = true;
        if (mixed) {
          --left[node];
          break;
        }
      }
  }
  return group;
}

using Keys = std::vector<std::pair<std::string, std::string>>;
inline models::CollectiveAlgorithm made_with(std::string_view name, const Keys& keys = {}) {
  const models::Row<models::CollectiveAlgorithm>* row = models::collectives().find(name);
  models::ensure(row != nullptr, "the table has the row a test names");
  models::Node mapping;
  mapping.kind = models::NodeKind::mapping;
  for (const auto& [key, text] : keys) {
    models::Entry entry;
    entry.key = key;
    entry.value.kind = models::NodeKind::scalar;
    entry.value.text = text;
    mapping.entries.push_back(entry);
  }
  models::Diagnostics diagnostics;
  const models::NoPresets presets;
  models::Params params(mapping, "", diagnostics, presets);
  models::CollectiveAlgorithm made = row->read(params);
  params.finish();
  diagnostics.throw_if_any();
  return made;
}

// Neighbour exchanges get pairs: a ring both ways with a chord, of unequal sizes that add up to `elements`.
struct Asked {
  std::vector<models::PairDemand> pairs;
  models::Demand demand;
};
inline Asked asked(models::CollectiveKind kind, std::int64_t elements, int n, int root) {
  Asked asked{{}, {kind, elements, root, {}}};
  if (kind != models::CollectiveKind::neighbor_exchange || n < 2) return asked;
  for (int i = 0; i < n; ++i) asked.pairs.push_back({i, (i + 1) % n, 0});
  if (n > 3) asked.pairs.push_back({0, n / 2, 0});
  if (n > 2)
    for (int i = 0; i < n; ++i) asked.pairs.push_back({(i + 1) % n, i, 0});
  const auto count = static_cast<std::int64_t>(asked.pairs.size());
  for (std::int64_t p = 0; p < count; ++p)
    asked.pairs[static_cast<std::size_t>(p)].elements = models::slice(elements, count, p).count;
  asked.demand.pairs = asked.pairs;
  return asked;
}

template <class Visit>  // visit(phase, round, transfers)
void for_each_round(const models::Schedule& schedule, const Visit& visit) {
  std::vector<models::Transfer> transfers;
  for (const models::Phase& phase : schedule)
    for (std::int64_t round = 0; round < phase.repeats; ++round) {
      transfers.clear();
      phase.fill(round, transfers);
      visit(phase, round, transfers);
    }
}

// Elements each member sends over the whole schedule.
inline std::vector<std::int64_t> sent(const models::Schedule& schedule, int n) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(n));
  for_each_round(schedule, [&](const models::Phase&, std::int64_t, const std::vector<models::Transfer>& transfers) {
    for (const models::Transfer& transfer : transfers)
      elements[static_cast<std::size_t>(transfer.from)] += transfer.elements.count;
  });
  return elements;
}
inline std::int64_t total(const models::Schedule& schedule, int n) {
  std::int64_t sum = 0;
  for (const std::int64_t count : sent(schedule, n)) sum += count;
  return sum;
}
inline std::int64_t rounds(const models::Schedule& schedule) {
  std::int64_t sum = 0;
  for (const models::Phase& phase : schedule) sum += phase.repeats;
  return sum;
}

}  // namespace support
