#pragma once
// Every collective of the table, one after the other, and what links and ranks saw of it.

#include <cmath>
#include <string>
#include <vector>

#include "models/base/defaults.hpp"
#include "sim/engine/traffic.hpp"
#include "tests/support/networks.hpp"

namespace support {

// A ring both ways with unequal sizes, for kinds that need pairs.
inline std::vector<models::PairDemand> ring_of_pairs(int members) {
  std::vector<models::PairDemand> pairs;
  for (int i = 0; i < members; ++i) pairs.push_back({i, (i + 1) % members, 100'000 * (1 + i % 3)});
  if (members > 2)
    for (int i = 0; i < members; ++i) pairs.push_back({(i + 1) % members, i, 200'000});
  return pairs;
}

// An element is a byte, so that SimGrid, whose payloads are whole bytes, sees the same sizes. `pairs` outlives them.
inline std::vector<models::CollectiveCall> every_collective(int members, const std::vector<models::PairDemand>& pairs) {
  std::vector<models::CollectiveCall> calls;
  constexpr double bytes_per_pair = 107'520.0;  // splits among 1 to 8 leave no remainder
  for (const models::Row<models::CollectiveAlgorithm>& row : models::collectives().rows())
    for (const models::CollectiveKind kind : models::made_by_default(row).kinds) {
      models::CollectiveCall made = call(kind, row.name.data(), bytes_per_pair * members * members);
      made.name = models::collective_kind_names[static_cast<std::size_t>(kind)].data();
      if (kind == models::CollectiveKind::neighbor_exchange) {
        double sum = 0.0;
        for (const models::PairDemand& pair : pairs) sum += static_cast<double>(pair.elements);
        made.element_size = models::Bytes{sum};
        made.pairs = pairs;
      }
      calls.push_back(made);
    }
  return calls;
}

class Sequence final : private sim::EventSink, private sim::PlayObserver {
 public:
  Sequence(Setup& setup, const topologies::World& world, std::vector<models::CollectiveCall> calls)
      : setup_(setup), group_(setup.player.add_group(everyone(world))), calls_(std::move(calls)) {
    setup.core.call_at({0.0}, *this, 0);
  }
  std::vector<double> durations;
  int collapsed = 0;

 private:
  void due(std::uint64_t index) override { setup_.player.play(group_, calls_[index], *this, index); }
  void played(std::uint64_t tag, const sim::Played& result) override {
    durations.push_back((result.end - result.begin).value);
    if (result.backend == "collapsed") ++collapsed;
    if (tag + 1 < calls_.size()) setup_.core.call_at(setup_.core.now(), *this, tag + 1);
  }
  Setup& setup_;
  int group_;
  std::vector<models::CollectiveCall> calls_;
};

constexpr std::size_t numbers_per_link = 4, numbers_per_rank = 2;

// Transfers; by link bytes, busy and full seconds, peak; by rank bytes sent and received. Checks conservation.
inline void append_traffic(const Setup& setup, const topologies::World& world, std::vector<double>& numbers) {
  const std::vector<sim::Network::Usage> usage = setup.player.usage();
  const sim::Ledger ledger = setup.player.ledger();
  sim::check_conservation(world.fabric, world.node, usage, ledger);
  numbers.push_back(static_cast<double>(setup.player.transfers_started()));
  for (const sim::Network::Usage& link : usage) {
    numbers.push_back(link.bytes);
    numbers.push_back(link.busy_s);
    numbers.push_back(link.bound_s);
    numbers.push_back(static_cast<double>(link.peak));
  }
  for (const sim::Traffic& rank : ledger.hosts()) {
    numbers.push_back(rank.sent_B);
    numbers.push_back(rank.received_B);
  }
}

// The name of a number of append_traffic(), to be read when it is wrong.
inline std::string traffic_name(const topologies::World& world, std::size_t index) {
  if (index == 0) return "transfers";
  const std::size_t links = world.fabric.links().size() * numbers_per_link;
  const char* const of_link[] = {"bytes", "busy seconds", "full seconds", "peak"};
  const char* const of_rank[] = {"sent", "received"};
  if (--index < links)
    return std::string(of_link[index % numbers_per_link]) + " of " +
           world.fabric.link_name(static_cast<topologies::LinkId>(index / numbers_per_link));
  index -= links;
  return std::string(of_rank[index % numbers_per_rank]) + " by rank " + std::to_string(index / numbers_per_rank);
}

inline bool close(double a, double b, double relative, double margin) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)) + margin;
}

}  // namespace support
