// Bytes and rounds of the schedules in closed form.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "models/collective/collective.hpp"
#include "tests/support/schedules.hpp"

using namespace models;

namespace {

using support::group_of;
using support::group_with;
using support::made_with;
using support::rounds;
using support::sent;
using support::total;

Collective scheduler(std::string_view name, const support::Keys& keys = {}) { return made_with(name, keys).schedule; }
Schedule reduced(std::string_view name, const Group& group, std::int64_t elements, const support::Keys& keys = {}) {
  return scheduler(name, keys)(group, {CollectiveKind::all_reduce, elements, 0, {}});
}
std::int64_t log2_up(std::int64_t n) {
  std::int64_t rounds = 0;
  while ((std::int64_t{1} << rounds) < n) ++rounds;
  return rounds;
}
std::int64_t power_below(std::int64_t n) {
  std::int64_t p = 1;
  while (2 * p <= n) p *= 2;
  return p;
}

}  // namespace

// Every member must be reached: n-1 vectors for a broadcast or a reduction, both for an all-reduce; every element of a
// gather or scatter but the root's own moves.
TEST_CASE("no algorithm sends less than its kind needs, or more than twice as much plus what halving folds",
          "[collective]") {
  for (const auto& row : collectives().rows()) {
    const CollectiveAlgorithm rule = made_by_default(row);
    for (const CollectiveKind kind : rule.kinds)
      for (const int n : {2, 3, 8, 13, 24}) {
        const std::int64_t elements = 720 * n * n;
        const support::Asked ask = support::asked(kind, elements, n, 1);
        const std::int64_t bytes = total(rule.schedule(group_of(n), ask.demand), n);
        std::int64_t needed = 0;
        switch (kind) {
          case CollectiveKind::all_reduce:
            needed = 2 * (n - 1) * elements;
            break;
          case CollectiveKind::reduce_scatter:
          case CollectiveKind::all_gather:
          case CollectiveKind::broadcast:
          case CollectiveKind::reduce:
            needed = (n - 1) * elements;
            break;
          case CollectiveKind::gather:
          case CollectiveKind::scatter:
          case CollectiveKind::all_to_all:
            needed = elements / n * (n - 1);
            break;
          case CollectiveKind::send_recv:
          case CollectiveKind::neighbor_exchange:
            needed = elements;
            break;
        }
        INFO(row.name << ", kind " << static_cast<int>(kind) << ", n " << n);
        CHECK(bytes >= needed);
        // Store and forward: log2 n hops at most (Bruck, binomial gathers).
        CHECK(bytes <= std::max<std::int64_t>(2, log2_up(n)) * needed);
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
  support::for_each_round(scheduler("hierarchical_ring")(group, {CollectiveKind::all_reduce, elements, 0}),
                          [&](const Phase&, std::int64_t, const std::vector<Transfer>& transfers) {
                            for (const Transfer& t : transfers)
                              (t.from / local == t.to / local ? within : across)[static_cast<std::size_t>(t.from)] +=
                                  t.elements.count;
                          });
  for (const std::int64_t count : across) CHECK(count == 2 * (nodes - 1) * elements / nodes / local);
  for (const std::int64_t count : within) CHECK(count == 2 * (local - 1) * elements / local);
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

TEST_CASE("halving and doubling take 2 log2 n rounds and the bytes of a ring", "[collective]") {
  for (const int n : {2, 3, 8, 13, 16, 31}) {
    const std::int64_t elements = 32 * 31 * 13 * 3, p = power_below(n), left = n - p;
    const Schedule schedule = reduced("recursive_halving_doubling", group_of(n), elements);
    CHECK(rounds(schedule) == 2 * log2_up(p) + (left > 0 ? 2 : 0));
    CHECK(total(schedule, n) == 2 * (n - 1) * elements);
    for (const std::int64_t count : sent(schedule, n))
      if (left == 0) CHECK(count == 2 * (n - 1) * elements / n);
  }
}

// Left-over pairs: two halves, the half back together, the result.
TEST_CASE("Rabenseifner's all-reduce is halving and doubling for a power of two, and halves what is left over",
          "[collective]") {
  for (const int n : {2, 3, 8, 13, 16, 31}) {
    const std::int64_t elements = 32 * 31 * 13 * 6, p = power_below(n), left = n - p;
    const Schedule schedule = reduced("rabenseifner", group_of(n), elements);
    CHECK(rounds(schedule) == 2 * log2_up(p) + (left > 0 ? 3 : 0));
    CHECK(2 * total(schedule, n) == (4 * (p - 1) + 5 * left) * elements);
  }
  // Reduce: the halving, and a gather of log2 n rounds in each of which half of the vector moves.
  const Schedule reduce = scheduler("rabenseifner")(group_of(16), {CollectiveKind::reduce, 1600, 5, {}});
  CHECK(rounds(reduce) == 8);
  CHECK(total(reduce, 16) == 15 * 1600 + 4 * 800);
}

TEST_CASE("a tree of height h sends c chunks up and down in c + 2h - 1 rounds", "[collective]") {
  for (const int n : {2, 3, 4, 8, 13})
    for (const int chunks : {1, 2, 16}) {
      const std::int64_t elements = 1600, height = log2_up(power_below(n));
      const support::Keys keys{{"chunks", std::to_string(chunks)}};
      const Schedule schedule = reduced("tree", group_of(n), elements, keys);
      CHECK(rounds(schedule) == chunks + 2 * height - 1);
      CHECK(total(schedule, n) == 2 * (n - 1) * elements);
      CHECK(rounds(scheduler("tree", keys)(group_of(n), {CollectiveKind::broadcast, elements, 1, {}})) ==
            chunks + height - 1);
      CHECK(rounds(scheduler("chain", keys)(group_of(n), {CollectiveKind::broadcast, elements, 1, {}})) ==
            chunks + n - 2);
    }
}

// An inner node of one tree sends half a vector up and one down each of two edges, and half as a leaf of the other.
TEST_CASE("in a double binary tree nobody sends more than two vectors, and the sum is that of a ring", "[collective]") {
  for (const int n : {2, 3, 4, 5, 8, 13, 16, 31, 32}) {
    const std::int64_t elements = 6400;
    const Schedule schedule = reduced("double_binary_tree", group_of(n, 1), elements);
    CHECK(total(schedule, n) == 2 * (n - 1) * elements);
    for (const std::int64_t count : sent(schedule, n)) CHECK(count <= 2 * elements);
    CHECK(rounds(schedule) <= 16 + 2 * (log2_up(n) + 1) - 1);
  }
}

TEST_CASE("a chain carries the vector over every link once and enters each node once", "[collective]") {
  const Group group = group_with({3, 2, 4}, true);
  std::int64_t across = 0;
  support::for_each_round(
      scheduler("chain")(group, {CollectiveKind::broadcast, 640, 4, {}}),
      [&](const Phase&, std::int64_t, const std::vector<Transfer>& transfers) {
        for (const Transfer& t : transfers)
          if (group.node[static_cast<std::size_t>(t.from)] != group.node[static_cast<std::size_t>(t.to)])
            across += t.elements.count;
      });
  CHECK(across == 2 * 640);
}

TEST_CASE("rings of a multi-ring leave and enter nodes by every member alike", "[collective]") {
  const int nodes = 4, local = 8, n = nodes * local;
  const std::int64_t elements = std::int64_t{n} * local * 10;
  std::vector<std::int64_t> left(n), entered(n);
  support::for_each_round(reduced("multi_ring", group_of(n, local), elements),
                          [&](const Phase&, std::int64_t, const std::vector<Transfer>& transfers) {
                            for (const Transfer& t : transfers) {
                              if (t.from / local == t.to / local) continue;
                              CHECK(t.from % local == t.to % local);  // on its rail
                              left[static_cast<std::size_t>(t.from)] += t.elements.count;
                              entered[static_cast<std::size_t>(t.to)] += t.elements.count;
                            }
                          });
  for (int i = 0; i < n; ++i) {
    CHECK(left[static_cast<std::size_t>(i)] == 2 * (n - 1) * elements / n / local);
    CHECK(entered[static_cast<std::size_t>(i)] == 2 * (n - 1) * elements / n / local);
  }
}

// Over g members of a node, a nodes of a pod and b pods: 2(b-1)/b of a (g a)-th.
TEST_CASE("a hierarchy of three levels crosses pods with one part per node and member", "[collective]") {
  const int local = 2, per_pod = 3, pods = 4, n = local * per_pod * pods;
  const std::int64_t elements = std::int64_t{n} * 100;
  std::vector<std::int64_t> across(n);
  support::for_each_round(reduced("hierarchical", group_of(n, local), elements, {{"nodes_per_pod", "3"}}),
                          [&](const Phase&, std::int64_t, const std::vector<Transfer>& transfers) {
                            for (const Transfer& t : transfers)
                              if (t.from / (local * per_pod) != t.to / (local * per_pod))
                                across[static_cast<std::size_t>(t.from)] += t.elements.count;
                          });
  for (const std::int64_t count : across) CHECK(count == 2 * (pods - 1) * elements / n);
}

TEST_CASE("a hierarchical all-gather brings each member each foreign element once", "[collective]") {
  for (const auto& nodes : std::vector<std::vector<int>>{{4, 4, 4}, {3, 1, 5}, {7}, {1, 1, 1}}) {
    const Group group = group_with(nodes);
    const int n = group.size();
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter})
      CHECK(total(scheduler("hierarchical_ring")(group, {kind, 1260 * n, 0, {}}), n) == std::int64_t{n - 1} * 1260 * n);
  }
}

TEST_CASE("Bruck's exchanges take ceil(log2 n) rounds; a block travels once per bit of its way", "[collective]") {
  for (const int n : {2, 3, 5, 8, 13, 32}) {
    const std::int64_t elements = std::int64_t{n} * n * 3;
    const Schedule gather = scheduler("bruck")(group_of(n), {CollectiveKind::all_gather, elements, 0, {}});
    CHECK(rounds(gather) == log2_up(n));
    for (const std::int64_t count : sent(gather, n)) CHECK(count == elements / n * (n - 1));
    const Schedule exchange = scheduler("bruck")(group_of(n), {CollectiveKind::all_to_all, elements, 0, {}});
    CHECK(rounds(exchange) == log2_up(n));
    std::int64_t hops = 0;
    for (int way = 1; way < n; ++way)
      for (int bits = way; bits > 0; bits /= 2) hops += bits % 2;
    for (const std::int64_t count : sent(exchange, n)) CHECK(count == 3 * hops);
  }
}

TEST_CASE("scatter and all-gather: the root sends less than two vectors where a binomial tree sends log2 n",
          "[collective]") {
  const int n = 16;
  const Schedule schedule = scheduler("scatter_all_gather")(group_of(n), {CollectiveKind::broadcast, 1600, 3, {}});
  CHECK(rounds(schedule) == 4 + 15);
  CHECK(sent(schedule, n)[3] == 2 * 1500);
  CHECK(sent(scheduler("binomial_tree")(group_of(n), {CollectiveKind::broadcast, 1600, 3, {}}), n)[3] == 4 * 1600);
}

TEST_CASE("a parameter server of s shards on members takes what a ring takes; dedicated ones every vector twice",
          "[collective]") {
  const int n = 8;
  const std::int64_t elements = 1001;
  for (const char* servers : {"1", "3", "8"})
    CHECK(total(reduced("parameter_server", group_of(n), elements, {{"servers", servers}}), n) ==
          2 * (n - 1) * elements);
  CHECK(total(reduced("parameter_server", group_of(n), elements, {{"servers", "3"}, {"placement", "dedicated"}}), n) ==
        2 * (n - 3) * elements);
  CHECK_THROWS_AS(reduced("parameter_server", group_of(n), elements, {{"servers", "9"}}), Error);
  CHECK_THROWS_AS(reduced("parameter_server", group_of(n), elements, {{"servers", "8"}, {"placement", "dedicated"}}),
                  Error);
}

TEST_CASE("at 65,536 members a schedule has few phases and rounds of a few transfers per member", "[collective]") {
  const int n = 65'536;
  const Group group = group_of(n, 8);
  for (const std::string_view name : {"ring", "multi_ring", "hierarchical_ring", "hierarchical", "tree",
                                      "double_binary_tree", "recursive_halving_doubling", "rabenseifner"}) {
    const Schedule schedule = reduced(name, group, std::int64_t{n} * n);
    INFO(name);
    CHECK(schedule.size() <= 200);
    for (const Phase& phase : schedule) {
      std::vector<Transfer> transfers;
      phase.fill(0, transfers);
      CHECK(transfers.size() <= 8U * static_cast<std::size_t>(n));
    }
  }
}
