#include "models/collective/collective.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

#include "tests/support/delivery.hpp"
#include "tests/support/schedules.hpp"

using namespace models;

namespace {

using support::asked;
using support::Asked;
using support::group_of;
using support::group_with;
using support::made_with;
using support::sent;

Collective scheduler(std::string_view name) { return made_with(name).schedule; }

const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 31, 32};

// Groups of n members: nodes of four; for some n also one node, a node a member, and nodes of unequal sizes, one after
// the other or mixed.
std::vector<Group> groups_of(int n) {
  std::vector<Group> all{group_of(n)};
  if (n != 5 && n != 8 && n != 13) return all;
  all.push_back(group_of(n, n));
  all.push_back(group_of(n, 1));
  all.push_back(group_with({3, n - 4, 1}));
  all.push_back(group_with({2, n - 2}, true));
  return all;
}

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
      for (const int n : sizes)
        for (const Group& group : groups_of(n))
          for (const std::int64_t elements : {0, 1, 13, 1000}) {
            INFO(row.name << ", kind " << static_cast<int>(kind) << ", n " << n << ", elements " << elements);
            const Asked ask = asked(kind, elements, n, n > 2 ? n - 2 : 0);
            REQUIRE(support::wrong_contributions(rule.schedule, group, ask.demand) == 0);
          }
  }
}

TEST_CASE("every root is served", "[collective]") {
  for (const auto& row : collectives().rows()) {
    const CollectiveAlgorithm rule = made_by_default(row);
    for (const CollectiveKind kind :
         {CollectiveKind::broadcast, CollectiveKind::reduce, CollectiveKind::gather, CollectiveKind::scatter}) {
      if (std::find(rule.kinds.begin(), rule.kinds.end(), kind) == rule.kinds.end()) continue;
      for (const int n : {2, 6, 8, 11})
        for (int root = 0; root < n; ++root) {
          INFO(row.name << ", kind " << static_cast<int>(kind) << ", n " << n << ", root " << root);
          REQUIRE(support::wrong_contributions(rule.schedule, group_of(n), {kind, 37, root, {}}) == 0);
        }
    }
  }
}

TEST_CASE("keys of an algorithm change neither what is delivered nor to whom", "[collective]") {
  const std::pair<const char*, support::Keys> cases[] = {{"tree", {{"chunks", "1"}}},
                                                         {"tree", {{"chunks", "1000"}}},
                                                         {"byteps", {{"pieces", "1"}, {"threads", "1"}}},
                                                         {"byteps", {{"pieces", "7"}, {"threads", "3"}}},
                                                         {"byteps", {{"servers", "1"}}},
                                                         {"byteps", {{"servers", "9"}, {"threads", "2"}}},
                                                         {"double_binary_tree", {{"chunks", "1"}}},
                                                         {"double_binary_tree", {{"chunks", "7"}}},
                                                         {"chain", {{"chunks", "1"}}},
                                                         {"chain", {{"chunks", "5"}}},
                                                         {"multi_ring", {{"rings", "1"}}},
                                                         {"multi_ring", {{"rings", "2"}}},
                                                         {"multi_ring", {{"rings", "7"}}},
                                                         {"hierarchical", {{"nodes_per_pod", "1"}}},
                                                         {"hierarchical", {{"nodes_per_pod", "2"}}},
                                                         {"hierarchical", {{"nodes_per_pod", "3"}}},
                                                         {"parameter_server", {{"servers", "1"}}},
                                                         {"parameter_server", {{"servers", "2"}}}};
  for (const auto& [name, keys] : cases) {
    const CollectiveAlgorithm rule = made_with(name, keys);
    for (const CollectiveKind kind : rule.kinds)
      for (const int n : {2, 3, 5, 8, 13, 16, 31})
        for (const Group& group : groups_of(n))
          for (const std::int64_t elements : {1, 37}) {
            INFO(name << " " << keys.front().second << ", kind " << static_cast<int>(kind) << ", n " << n);
            REQUIRE(support::wrong_contributions(rule.schedule, group, {kind, elements, n / 2, {}}) == 0);
          }
  }
}

TEST_CASE("dedicated servers bring nothing and lose no element of any worker", "[collective]") {
  for (const int n : {2, 3, 8, 13})
    for (const int servers : {1, 2, 5}) {
      if (servers >= n) continue;
      const CollectiveAlgorithm rule =
          made_with("parameter_server", {{"servers", std::to_string(servers)}, {"placement", "dedicated"}});
      for (const std::int64_t elements : {1, 37})
        CHECK(support::wrong_contributions(rule.schedule, group_of(n), {CollectiveKind::all_reduce, elements, 0, {}},
                                           n - servers) == 0);
    }
}

TEST_CASE("an all-to-all with sizes of its own delivers them, silent pairs included", "[collective]") {
  for (const std::string_view name : {"pairwise", "direct"})
    for (const int n : {2, 3, 7, 12}) {
      std::vector<PairDemand> pairs;
      std::int64_t sum = 0;
      for (int i = 0; i < n; ++i)
        for (int j = n - 1; j >= 0; --j)
          if (i != j && (i + 2 * j) % 5 != 0) {
            pairs.push_back({i, j, (3 * i + j) % 4});
            sum += pairs.back().elements;
          }
      const Demand demand{CollectiveKind::all_to_all, sum, 0, pairs};
      INFO(name << ", n " << n);
      REQUIRE(support::wrong_contributions(scheduler(name), group_of(n), demand) == 0);
      CHECK(support::total(scheduler(name)(group_of(n), demand), n) == sum);
    }
  const PairDemand one[] = {{0, 1, 5}};
  CHECK_THROWS_AS(scheduler("bruck")(group_of(3), {CollectiveKind::all_to_all, 5, 0, one}), Error);
}

TEST_CASE("pairs that leave the group, repeat or do not add up are bugs", "[collective]") {
  const auto refused = [](std::vector<PairDemand> pairs, std::int64_t elements) {
    CHECK_THROWS_AS(scheduler("direct")(group_of(3), {CollectiveKind::neighbor_exchange, elements, 0, pairs}), Bug);
  };
  refused({{0, 3, 1}}, 1);
  refused({{1, 1, 1}}, 1);
  refused({{0, 1, 1}, {0, 1, 1}}, 2);
  refused({{0, 1, 1}}, 2);
}

// The test above would not notice a broken schedule if these went unnoticed.
TEST_CASE("a wrong slice, a lost, a doubled and a reversed transfer are noticed", "[collective]") {
  const auto mutant = [](std::string_view name, auto change) {
    return [schedule = scheduler(name), change](const Group& group, const Demand& demand) {
      Schedule phases = schedule(group, demand);
      Phase& first = phases.front();
      first.fill = [fill = first.fill, change](std::int64_t round, std::vector<Transfer>& out) {
        fill(round, out);
        if (round == 0) change(out);
      };
      return phases;
    };
  };
  int mutants = 0;
  for (const auto& row : collectives().rows()) {
    const CollectiveAlgorithm rule = made_by_default(row);
    const CollectiveKind kind = rule.kinds.front();
    const auto noticed = [&](auto change) {
      const Asked ask = asked(kind, 1000, 8, 3);
      INFO(row.name << ", kind " << static_cast<int>(kind));
      CHECK(support::wrong_contributions(mutant(row.name, change), group_of(8), ask.demand) > 0);
      ++mutants;
    };
    if (!rule.schedule(group_of(8), asked(kind, 1000, 8, 3).demand).front().pieces)
      noticed([](std::vector<Transfer>& out) {
        ElementRange& range = out.front().elements;
        if (range.count == 1000)
          --range.count;
        else
          range.begin += range.begin > 0 ? -1 : 1;
      });
    noticed([](std::vector<Transfer>& out) { out.front().elements.count = 0; });
    noticed([](std::vector<Transfer>& out) { std::swap(out.front().from, out.front().to); });
  }
  CHECK(mutants >= 3 * 16 - 4);
  const auto doubled = mutant("linear", [](std::vector<Transfer>& out) { out.push_back(out.front()); });
  CHECK(support::wrong_contributions(doubled, group_of(8), {CollectiveKind::reduce, 10, 0, {}}) > 0);
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

TEST_CASE("phases of equal pattern use the same pairs in the same order, whatever the size", "[collective]") {
  std::map<std::uint64_t, std::vector<std::pair<int, int>>> pairs_of;
  const Group group = group_with({3, 4, 1});
  for (const auto& row : collectives().rows()) {
    const CollectiveAlgorithm rule = made_by_default(row);
    for (const CollectiveKind kind : rule.kinds)
      for (const int root : {0, 3, 7})
        for (const std::int64_t elements : {1, 5, 100})
          support::for_each_round(rule.schedule(group, asked(kind, elements, 8, root).demand),
                                  [&](const Phase& phase, std::int64_t round, const std::vector<Transfer>& transfers) {
                                    INFO(row.name << ", kind " << static_cast<int>(kind) << ", round " << round);
                                    std::vector<std::pair<int, int>> pairs;
                                    for (const Transfer& transfer : transfers) {
                                      pairs.emplace_back(transfer.from, transfer.to);
                                      CHECK(transfer.from != transfer.to);
                                    }
                                    const auto [known, fresh] =
                                        pairs_of.emplace(static_cast<std::uint64_t>(phase.same_links), pairs);
                                    CHECK(known->second == pairs);
                                  });
  }
}

TEST_CASE("the rounds of a phase carry the same sizes to an element", "[collective]") {
  for (const auto& row : collectives().rows()) {
    const CollectiveAlgorithm rule = made_by_default(row);
    for (const CollectiveKind kind : rule.kinds) {
      std::map<const Phase*, std::vector<std::int64_t>> sizes_of;
      const Schedule schedule = rule.schedule(group_with({3, 4, 1}), asked(kind, 1000, 8, 3).demand);
      support::for_each_round(schedule, [&](const Phase& phase, std::int64_t, const std::vector<Transfer>& transfers) {
        std::vector<std::int64_t> counts;
        for (const Transfer& transfer : transfers) counts.push_back(transfer.elements.count);
        std::sort(counts.begin(), counts.end());
        const auto [known, fresh] = sizes_of.emplace(&phase, counts);
        REQUIRE(known->second.size() == counts.size());
        for (std::size_t i = 0; i < counts.size(); ++i) CHECK(std::abs(known->second[i] - counts[i]) <= 1);
      });
    }
  }
}

TEST_CASE("a schedule of a kind the algorithm does not have is a bug", "[collective]") {
  CHECK_THROWS_AS(scheduler("ring")(group_of(4), {CollectiveKind::all_to_all, 10, 0}), Bug);
  CHECK_THROWS_AS(scheduler("direct")(group_of(4), {CollectiveKind::all_reduce, 10, 0}), Bug);
  CHECK_THROWS_AS(scheduler("pairwise")(group_of(4), {CollectiveKind::all_reduce, 10, 0}), Bug);
  CHECK_THROWS_AS(scheduler("binomial_tree")(group_of(4), {CollectiveKind::all_reduce, 10, 0}), Bug);
  CHECK_THROWS_AS(scheduler("hierarchical_ring")(group_of(4), {CollectiveKind::broadcast, 10, 0}), Bug);
}

TEST_CASE("auto names an algorithm of the table that has the kind", "[collective]") {
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather,
        CollectiveKind::all_to_all, CollectiveKind::broadcast, CollectiveKind::reduce, CollectiveKind::gather,
        CollectiveKind::scatter, CollectiveKind::send_recv, CollectiveKind::neighbor_exchange})
    for (const int n : sizes)
      for (const Bytes size : {0_B, 1_B, 25_MiB}) {
        const auto* row = collectives().find(automatic_algorithm(kind, group_of(n), size));
        REQUIRE(row != nullptr);
        const CollectiveAlgorithm rule = made_by_default(*row);
        CHECK(std::count(rule.kinds.begin(), rule.kinds.end(), kind) == 1);
        CHECK_NOTHROW(rule.schedule(group_of(n), asked(kind, 1000, n, 0).demand));
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
