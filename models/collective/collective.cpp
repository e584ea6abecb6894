#include "models/collective/collective.hpp"

#include <algorithm>
#include <map>

#include "models/base/error.hpp"

namespace models {

namespace {

// A ring step of fewer bytes than this takes less time than its latency (32 KiB at 10 Gb/s: 26 us), so fewer, larger
// steps win.
constexpr Bytes latency_bound_step{32.0 * 1024.0};

bool islands_of_equal_size(const Group& group) {
  std::map<int, int> members;
  for (const int node : group.node) ++members[node];
  if (members.size() < 2) return false;
  const int first = members.begin()->second;
  return first > 1 &&
         std::all_of(members.begin(), members.end(), [first](const auto& entry) { return entry.second == first; });
}

// A flat ring crosses from node to node on one link, however many a node has.
std::string_view automatic_all_reduce(const Group& group, Bytes size) {
  const bool short_steps = group.size() > 1 && size / static_cast<double>(group.size()) < latency_bound_step;
  return (group.separate_ways || short_steps) && islands_of_equal_size(group) ? "hierarchical_ring" : "ring";
}

}  // namespace

ElementRange slice(std::int64_t elements, std::int64_t parts, std::int64_t i) {
  ensure(elements >= 0 && parts > 0 && i >= 0 && i < parts, "a slice lies inside its vector");
  const std::int64_t whole = elements / parts;
  const std::int64_t longer = elements % parts;
  return {i * whole + std::min(i, longer), whole + (i < longer ? 1 : 0)};
}

std::string_view automatic_algorithm(CollectiveKind kind, const Group& group, Bytes size) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return automatic_all_reduce(group, size);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return "ring";
    case CollectiveKind::all_to_all:
      return "pairwise";
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return "binomial_tree";
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return "linear";
    case CollectiveKind::send_recv:
    case CollectiveKind::neighbor_exchange:
      return "direct";
  }
  throw Bug("a collective kind has an algorithm");
}

double bus_factor(CollectiveKind kind, int ranks) {
  if (ranks < 1) return 0.0;
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2.0 * others;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return others;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::send_recv:
    case CollectiveKind::neighbor_exchange:
      return 1.0;
  }
  throw Bug("a collective kind has a bus factor");
}

}  // namespace models
