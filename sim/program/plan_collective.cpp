#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/program/direct_exchange.hpp"
#include "sim/program/group_links.hpp"
#include "sim/program/program.hpp"

namespace sim {
namespace {

int wrapped(std::int64_t member, std::int64_t n) { return static_cast<int>(((member % n) + n) % n); }

class Pairs {
 public:
  explicit Pairs(std::int64_t ranks) : ranks_(ranks) {}

  void add(int from, int to, double share, const models::Place& place) {
    if (from >= ranks_ || to >= ranks_)
      throw models::Error(place, fmt::format("the pair {} -> {} leaves the group of {} ranks", from, to, ranks_),
                          fmt::format("ranks go from 0 to {}", ranks_ - 1));
    if (from == to)
      throw models::Error(place, fmt::format("rank {} would send to itself in a group of {} ranks", from, ranks_),
                          "give pairs of two ranks, and offsets that are no multiple of the number of ranks");
    if (!known_.emplace(from, to).second)
      throw models::Error(place, fmt::format("the pair {} -> {} is given twice", from, to),
                          "give each pair once; offsets count as pairs modulo the number of ranks");
    all_.push_back({from, to, std::llround(share * static_cast<double>(pair_unit))});
  }
  std::vector<models::PairDemand> take() { return std::move(all_); }

 private:
  std::int64_t ranks_;
  std::set<std::pair<int, int>> known_;
  std::vector<models::PairDemand> all_;
};

std::vector<models::PairDemand> pairs_of(const CollectiveJob& job, std::int64_t ranks) {
  Pairs pairs(ranks);
  for (const auto& offset : job.offsets)
    for (std::int64_t i = 0; i < ranks; ++i)
      pairs.add(static_cast<int>(i), wrapped(i + offset.value, ranks), 1.0, offset.place);
  for (const PairShare& pair : job.pairs) pairs.add(pair.from, pair.to, pair.share, pair.place);
  return pairs.take();
}

// An algorithm may refuse a group: better now than once the clock runs.
void try_schedule(const CollectiveJob& job, const models::Group& group, std::span<const models::PairDemand> pairs) {
  if (!job.made.schedule) return;
  models::Demand demand{job.kind, 1, static_cast<int>(job.root.value), pairs};
  if (!pairs.empty()) {
    demand.elements = 0;
    for (const models::PairDemand& pair : pairs) demand.elements += pair.elements;
  }
  try {
    job.made.schedule(group, demand);
  } catch (const models::Error& error) {
    models::Diagnostic located = error.diagnostics().front();
    if (!located.place.file.empty()) throw;
    throw models::Error(job.algorithm_place, located.message, located.hint);
  }
}

// `direct` has one round of n (n - 1) transfers, and a round is solved as a whole: 2^23 of them take about 1 GiB.
constexpr std::int64_t most_direct_ranks = 2896;

bool is_everyone_to_everyone(const CollectiveJob& job) {
  const bool kind = job.kind == models::CollectiveKind::all_to_all || job.kind == models::CollectiveKind::all_gather ||
                    job.kind == models::CollectiveKind::reduce_scatter;
  return kind && job.algorithm == "direct" && job.pairs.empty();
}

}  // namespace

CollectiveProgram plan_collective(const CollectiveJob& job, const topologies::World& world) {
  const int hosts = world.fabric.host_count();
  const std::int64_t ranks = job.ranks.value == 0 ? hosts : job.ranks.value;
  if (ranks > hosts)
    throw models::Error(job.ranks.place,
                        fmt::format("the collective wants {} ranks, the cluster has {} GPUs", ranks, hosts),
                        fmt::format("give 2 to {}, or a larger topology", hosts));
  if (ranks < 2)
    throw models::Error(
        job.ranks.place, "a collective needs at least 2 ranks",
        hosts < 2 ? "the cluster has 1 GPU: give a larger topology" : fmt::format("give 2 to {}", hosts));
  if (is_everyone_to_everyone(job) && ranks > most_direct_ranks)
    throw models::Error(job.ranks.place,
                        fmt::format("'direct' sends {} messages at once among {} ranks, and takes at most {} ranks",
                                    ranks * (ranks - 1), ranks, most_direct_ranks),
                        "algorithm: auto sends them in rounds, or take fewer ranks");
  if (job.root.value >= ranks)
    throw models::Error(job.root.place, fmt::format("the root {} is none of the {} ranks", job.root.value, ranks),
                        fmt::format("ranks go from 0 to {}", ranks - 1));
  CollectiveProgram program{job, group_of(world, static_cast<int>(ranks)), pairs_of(job, ranks)};
  try_schedule(job, program.group, program.pairs);
  for (const Bytes size : job.sizes)
    check_direct(world, program.group, job.kind, job.algorithm, size, job.algorithm_place);
  check_protocol(job.library.protocol.value, program.group, world.fabric, job.library.protocol.place);
  return program;
}

}  // namespace sim
