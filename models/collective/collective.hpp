#pragma once
// Collectives as pure schedules: rounds of transfers between members of a group. A schedule is generated, never held.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "models/base/table.hpp"
#include "models/base/units.hpp"

namespace models {

enum class Rank : int {};

// Members in group order; `node[i]` is the node (GPU island) of member i. separate_ways: members of a node leave it over
// links of their own, so that several may send to other nodes at once.
struct Group {
  std::vector<Rank> ranks;
  std::vector<int> node;
  bool separate_ways = false;
  int size() const { return static_cast<int>(ranks.size()); }
};

enum class CollectiveKind {
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  send_recv,
  neighbor_exchange
};
inline constexpr std::string_view collective_kind_names[] = {
    "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast",
    "reduce",     "gather",         "scatter",    "send_recv",  "neighbor_exchange"};

// Elements that `from` has for `to`, another member.
struct PairDemand {
  int from = 0, to = 0;
  std::int64_t elements = 0;
};

// Element ranges are over the whole vector of `elements`:
// all_reduce, broadcast: every member ends with all of [0, elements); reduce: the root does.
// reduce_scatter, all_gather: member i owns slice i of split(elements, n). gather: the root ends with every slice;
// scatter: it begins with them. all_to_all: slice (i * n + j) of split(elements, n * n) goes from i to j (elements
// counts the whole n x n exchange). send_recv: slice i of split(elements, n) goes from i to its successor (i + 1) % n.
// neighbor_exchange: the edges of a graph are `pairs`, no two alike, and their elements stand one after the other.
// all_to_all with `pairs` likewise: each pair has its own size (all_to_allv), and one that is not listed has none.
// With pairs, `elements` is their sum.
struct Demand {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::int64_t elements = 0;
  int root = 0;
  std::span<const PairDemand> pairs{};  // need not outlive the call that makes the schedule
};

struct ElementRange {
  std::int64_t begin = 0, count = 0;
};
// Slice i of `elements` in `parts`: elements / parts each, the first elements % parts one more. Never loses an element.
ElementRange slice(std::int64_t elements, std::int64_t parts, std::int64_t i);

enum class Combine { copy, add };
struct Transfer {
  int from = 0, to = 0;
  ElementRange elements;
  Combine combine = Combine::copy;
};  // group indices

// Phases with equal id use the same (from, to) pairs in every round, for any sizes and any two schedules of one group.
// The rounds of a phase carry the same sizes, to an element. A transfer of no elements is sent all the same,
// because its receiver waits for it: it costs latency only. No elements at all, or fewer than two members: an empty
// schedule.
enum class PatternId : std::uint64_t {};
struct Phase {
  std::int64_t repeats = 0;
  PatternId same_links{};
  std::function<void(std::int64_t round, std::vector<Transfer>&)> fill;  // appends the transfers of one round
  // Of transfers whose elements are not one range: appends the ranges of the `transfer`th of a round, in the order in
  // which it carries them. Where it is set, Transfer::elements holds their number only, and begin means nothing.
  std::function<void(std::int64_t round, std::size_t transfer, std::vector<ElementRange>&)> pieces{};
};
// A member may start its transfers of a round when all its sends and receptions of the rounds before have ended.
using Schedule = std::vector<Phase>;

using Collective =
    std::function<Schedule(const Group&, const Demand&)>;  // pure; throws Bug for a kind it does not support
struct CollectiveAlgorithm {
  std::vector<CollectiveKind> kinds;
  Collective schedule;
};
const Table<CollectiveAlgorithm>& collectives();  // ring, double_binary_tree, pairwise, direct, binomial_tree ...

// What `auto` means: the row used for this kind, group and size.
std::string_view automatic_algorithm(CollectiveKind kind, const Group& group, Bytes size);
// Bus bandwidth over algorithm bandwidth, as nccl-tests counts it.
double bus_factor(CollectiveKind kind, int ranks);

}  // namespace models
