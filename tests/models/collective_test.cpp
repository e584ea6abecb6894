#include "models/collective/collective.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <map>

#include "models/base/defaults.hpp"
#include "models/base/error.hpp"
#include "tests/support/delivery.hpp"

using namespace models;

namespace {

// `local` members on each node, in node order.
Group group_of(int size, int local = 4) {
  Group group;
  for (int i = 0; i < size; ++i) {
    group.ranks.push_back(Rank{i});
    group.node.push_back(i / local);
  }
  return group;
}

Collective scheduler(std::string_view name) {
  const Row<CollectiveAlgorithm>* row = collectives().find(name);
  REQUIRE(row != nullptr);
  return made_by_default(*row).schedule;
}

// Elements member 0..n-1 sends over the whole schedule.
std::vector<std::int64_t> sent(const Schedule& schedule, int n) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(n));
  std::vector<Transfer> transfers;
  for (const Phase& phase : schedule)
    for (std::int64_t round = 0; round < phase.repeats; ++round) {
      transfers.clear();
      phase.fill(round, transfers);
      for (const Transfer& transfer : transfers)
        elements[static_cast<std::size_t>(transfer.from)] += transfer.elements.count;
    }
  return elements;
}

// Pairs for neighbor_exchange: a ring both ways with a chord, of unequal sizes that add up to `elements`.
struct Asked {
  std::vector<PairDemand> pairs;
  Demand demand;
};
Asked asked(CollectiveKind kind, std::int64_t elements, int n, int root) {
  Asked asked{{}, {kind, elements, root, {}}};
  if (kind != CollectiveKind::neighbor_exchange || n < 2) return asked;
  for (int i = 0; i < n; ++i) asked.pairs.push_back({i, (i + 1) % n, 0});
  if (n > 3) asked.pairs.push_back({0, n / 2, 0});
  if (n > 2)
    for (int i = 0; i < n; ++i) asked.pairs.push_back({(i + 1) % n, i, 0});
  const auto count = static_cast<std::int64_t>(asked.pairs.size());
  for (std::int64_t p = 0; p < count; ++p)
    asked.pairs[static_cast<std::size_t>(p)].elements = slice(elements, count, p).count;
  asked.demand.pairs = asked.pairs;
  return asked;
}

const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 16};

}  // namespace

TEST_CASE("slices add up, in order, and differ by at most one element", "[collective]") {
  for (const std::int64_t elements : {0, 1, 7, 100, 1'000'003})
    for (const std::int64_t parts : {1, 2, 3, 7, 64, 101}) {
      std::int64_t next = 0;
      for (std::int64_t i = 0; i < parts; ++i) {
        const ElementRange part = slice(elements, parts, i);
        REQUIRE(part.begin == next);
        REQUIRE((part.count == elements / parts || part.count == elements / parts + 1));
        next += part.count;
      }
      REQUIRE(next == elements);
    }
  CHECK_THROWS_AS(slice(10, 0, 0), Bug);
  CHECK_THROWS_AS(slice(10, 3, 3), Bug);
}

TEST_CASE("every collective delivers every contribution exactly once", "[collective]") {
  for (const auto& row : collectives().rows()) {
    const CollectiveAlgorithm rule = made_by_default(row);
    for (const CollectiveKind kind : rule.kinds)
      for (const int n : sizes) {
        for (const int local : {1, 2, 4, 16}) {
          if (row.name == "hierarchical_ring" && n > local && n % local != 0) continue;  // refused: see below
          if (row.name != "hierarchical_ring" && local != 4) continue;
          for (const std::int64_t elements : {0, 1, 2, 5, 13, 16, 37}) {
            INFO(row.name << ", kind " << static_cast<int>(kind) << ", n " << n << ", local " << local << ", elements "
                          << elements);
            const Asked ask = asked(kind, elements, n, n > 2 ? n - 2 : 0);
            CHECK(support::wrong_contributions(rule.schedule, group_of(n, local), ask.demand) == 0);
          }
        }
      }
  }
}

TEST_CASE("a collective without elements or without a partner sends nothing", "[collective]") {
  for (const auto& row : collectives().rows()) {
    const CollectiveAlgorithm rule = made_by_default(row);
    for (const CollectiveKind kind : rule.kinds) {
      CHECK(rule.schedule(group_of(8), {kind, 0, 0}).empty());
      CHECK(rule.schedule(group_of(1), {kind, 100, 0}).empty());
      CHECK(rule.schedule(group_of(0), {kind, 100, 0}).empty());
    }
  }
}

TEST_CASE("phases of equal pattern use the same pairs, whatever the size", "[collective]") {
  for (const auto& row : collectives().rows()) {
    const CollectiveAlgorithm rule = made_by_default(row);
    std::map<std::uint64_t, std::set<std::pair<int, int>>> pairs_of;
    for (const CollectiveKind kind : rule.kinds)
      for (const int root : {0, 3})
        for (const std::int64_t elements : {1, 5, 100}) {
          for (const Phase& phase : rule.schedule(group_of(8), asked(kind, elements, 8, root).demand))
            for (std::int64_t round = 0; round < phase.repeats; ++round) {
              std::vector<Transfer> transfers;
              phase.fill(round, transfers);
              std::set<std::pair<int, int>> pairs;
              for (const Transfer& transfer : transfers) {
                pairs.emplace(transfer.from, transfer.to);
                CHECK(transfer.from != transfer.to);
              }
              CHECK(pairs.size() == transfers.size());
              const auto [known, fresh] = pairs_of.emplace(static_cast<std::uint64_t>(phase.same_links), pairs);
              CHECK(known->second == pairs);
            }
        }
  }
}

TEST_CASE("ring all-reduce sends 2(n-1)/n of the vector per member, the halves (n-1)/n", "[collective]") {
  for (const int n : {2, 3, 8, 13}) {
    const std::int64_t elements = 1000 * n;
    for (const std::int64_t count : sent(scheduler("ring")(group_of(n), {CollectiveKind::all_reduce, elements, 0}), n))
      CHECK(count == 2 * (n - 1) * elements / n);
    for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_gather})
      for (const std::int64_t count : sent(scheduler("ring")(group_of(n), {kind, elements, 0}), n))
        CHECK(count == (n - 1) * elements / n);
  }
}

TEST_CASE("a ring phase is one pattern repeated n-1 times", "[collective]") {
  const Schedule schedule = scheduler("ring")(group_of(13), {CollectiveKind::all_reduce, 1300, 0});
  REQUIRE(schedule.size() == 2);
  CHECK(schedule[0].repeats == 12);
  CHECK(schedule[1].repeats == 12);
  CHECK(schedule[0].same_links == schedule[1].same_links);
}

// Inside a node of g: 2(g-1)/g of the vector; over N nodes: 2(N-1)/N of a g-th.
TEST_CASE("hierarchical all-reduce crosses nodes with 2(N-1)/N of a g-th of the vector per member", "[collective]") {
  const int nodes = 4, local = 3, n = nodes * local;
  const std::int64_t elements = 1200;
  const Group group = group_of(n, local);
  std::vector<std::int64_t> across(static_cast<std::size_t>(n)), within(static_cast<std::size_t>(n));
  for (const Phase& phase : scheduler("hierarchical_ring")(group, {CollectiveKind::all_reduce, elements, 0}))
    for (std::int64_t round = 0; round < phase.repeats; ++round) {
      std::vector<Transfer> transfers;
      phase.fill(round, transfers);
      for (const Transfer& t : transfers)
        (t.from / local == t.to / local ? within : across)[static_cast<std::size_t>(t.from)] += t.elements.count;
    }
  for (const std::int64_t count : across) CHECK(count == 2 * (nodes - 1) * elements / nodes / local);
  for (const std::int64_t count : within) CHECK(count == 2 * (local - 1) * elements / local);
}

TEST_CASE("hierarchical ring refuses nodes of unequal size by name", "[collective]") {
  Group group = group_of(7, 4);  // nodes of 4 and 3
  try {
    scheduler("hierarchical_ring")(group, {CollectiveKind::all_reduce, 100, 0});
    FAIL("it was accepted");
  } catch (const Error& error) {
    CHECK(error.diagnostics().front().message ==
          "hierarchical_ring needs equally many members on every node, but node 1 has 3 and node 0 has 4");
    CHECK(error.diagnostics().front().hint == "use the algorithm ring, which takes any placement");
  }
}

TEST_CASE("hierarchical ring finds the nodes of members in any order", "[collective]") {
  Group group = group_of(8, 4);
  group.node = {5, 2, 5, 2, 2, 5, 2, 5};
  CHECK(support::wrong_contributions(scheduler("hierarchical_ring"), group, {CollectiveKind::all_reduce, 37, 0}) == 0);
}

TEST_CASE("pairwise and direct all-to-all send (n-1)/n of a member's share", "[collective]") {
  const int n = 7;
  const std::int64_t per_pair = 11, elements = per_pair * n * n;
  for (const std::string_view name : {"pairwise", "direct"})
    for (const std::int64_t count : sent(scheduler(name)(group_of(n), {CollectiveKind::all_to_all, elements, 0}), n))
      CHECK(count == (n - 1) * per_pair);
  CHECK(scheduler("pairwise")(group_of(n), {CollectiveKind::all_to_all, elements, 0}).size() == 6);
  CHECK(scheduler("direct")(group_of(n), {CollectiveKind::all_to_all, elements, 0}).size() == 1);
}

TEST_CASE("binomial broadcast takes ceil(log2 n) rounds", "[collective]") {
  for (const auto& [n, rounds] : std::map<int, std::size_t>{{2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}})
    CHECK(scheduler("binomial_tree")(group_of(n), {CollectiveKind::broadcast, 10, 0}).size() == rounds);
}

TEST_CASE("a schedule of a kind the algorithm does not have is a bug", "[collective]") {
  CHECK_THROWS_AS(scheduler("ring")(group_of(4), {CollectiveKind::all_to_all, 10, 0}), Bug);
  CHECK_THROWS_AS(scheduler("direct")(group_of(4), {CollectiveKind::all_reduce, 10, 0}), Bug);
  CHECK_THROWS_AS(scheduler("pairwise")(group_of(4), {CollectiveKind::all_reduce, 10, 0}), Bug);
  CHECK_THROWS_AS(scheduler("binomial_tree")(group_of(4), {CollectiveKind::all_reduce, 10, 0}), Bug);
  CHECK_THROWS_AS(scheduler("hierarchical_ring")(group_of(4), {CollectiveKind::broadcast, 10, 0}), Bug);
}

TEST_CASE("auto names an algorithm of the table that has the kind", "[collective]") {
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                                    CollectiveKind::all_gather, CollectiveKind::all_to_all, CollectiveKind::broadcast})
    for (const int n : sizes)
      for (const Bytes size : {0_B, 1_B, 25_MiB}) {
        const auto* row = collectives().find(automatic_algorithm(kind, group_of(n), size));
        REQUIRE(row != nullptr);
        const CollectiveAlgorithm rule = made_by_default(*row);
        CHECK(std::count(rule.kinds.begin(), rule.kinds.end(), kind) == 1);
        CHECK_NOTHROW(rule.schedule(group_of(n), {kind, 1000, 0}));
      }
}

TEST_CASE("auto takes the hierarchy when ring steps fall under 32 KiB and nodes are equal", "[collective]") {
  const auto chosen = [](const Group& group, Bytes size) {
    return automatic_algorithm(CollectiveKind::all_reduce, group, size);
  };
  CHECK(chosen(group_of(64), 25_MiB) == "ring");  // 400 KiB a step
  CHECK(chosen(group_of(4096), 25_MiB) == "hierarchical_ring");
  CHECK(chosen(group_of(4096, 1), 25_MiB) == "ring");  // one member a node
  CHECK(chosen(group_of(4), 1_KiB) == "ring");         // one node
  CHECK(chosen(group_of(4095), 25_MiB) == "ring");     // unequal nodes
}

TEST_CASE("auto takes the hierarchy at any size when members leave their nodes over links of their own",
          "[collective]") {
  for (const Bytes size : {1_KiB, 25_MiB, 16_GiB}) {
    Group group = group_of(32, 8);
    group.separate_ways = true;
    CHECK(automatic_algorithm(CollectiveKind::all_reduce, group, size) == "hierarchical_ring");
    Group unequal = group_of(31, 8);
    unequal.separate_ways = true;
    CHECK(automatic_algorithm(CollectiveKind::all_reduce, unequal, size) == "ring");
  }
}

TEST_CASE("bus factors are those of nccl-tests", "[collective]") {
  CHECK(bus_factor(CollectiveKind::all_reduce, 4) == 1.5);
  CHECK(bus_factor(CollectiveKind::reduce_scatter, 4) == 0.75);
  CHECK(bus_factor(CollectiveKind::all_gather, 4) == 0.75);
  CHECK(bus_factor(CollectiveKind::all_to_all, 4) == 0.75);
  CHECK(bus_factor(CollectiveKind::broadcast, 4) == 1.0);
  CHECK(bus_factor(CollectiveKind::reduce, 4) == 1.0);
  CHECK(bus_factor(CollectiveKind::gather, 4) == 0.75);
  CHECK(bus_factor(CollectiveKind::scatter, 4) == 0.75);
  CHECK(bus_factor(CollectiveKind::send_recv, 4) == 1.0);
  CHECK(bus_factor(CollectiveKind::all_reduce, 1) == 0.0);
}
