#include "sim/program/direct_exchange.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "models/base/defaults.hpp"

namespace sim {

namespace {

constexpr int members_looked_at = 32;  // schedules of one algorithm are built alike, whatever the size

// Members in nodes of two, so that a hierarchy has two levels.
models::Group example_group(int members) {
  models::Group group;
  for (int i = 0; i < members; ++i) {
    group.ranks.push_back(models::Rank{i});
    group.node.push_back(i / 2);
  }
  return group;
}

// Of a schedule that every algorithm of the kind can be asked for; nothing when it refuses the group.
std::optional<bool> row_is_direct(const models::CollectiveAlgorithm& algorithm, const models::Group& group,
                                  models::CollectiveKind kind) {
  const auto n = static_cast<std::int64_t>(group.size());
  models::Demand demand{kind, n * n, 0};
  std::vector<models::PairDemand> pairs;
  if (kind == models::CollectiveKind::neighbor_exchange) {
    for (int i = 0; i < group.size(); ++i) pairs.push_back({i, (i + 1) % group.size(), 1});
    demand.elements = n;
    demand.pairs = pairs;
  }
  try {
    return is_direct(algorithm.schedule(group, demand), group.size());
  } catch (const models::Error&) {
    return {};
  }
}

}  // namespace

std::optional<std::string> lossy_for_good(const topologies::World& world) {
  for (const topologies::LinkProperties& link : world.fabric.properties())
    if (link.transport.reliability == topologies::Reliability::unreliable && link.loss.rate > 0.0)
      return fmt::format("link {} loses {} % of its {}s for good (transport {})", link.name,
                         models::shortest(link.loss.rate * 100.0),
                         link.loss.unit == topologies::LossUnit::packet ? "packet" : "message", link.transport.name);
  return {};
}

bool is_direct(const models::Schedule& schedule, int members) {
  std::vector<std::vector<models::ElementRange>> received(static_cast<std::size_t>(members));
  std::vector<models::Transfer> transfers;
  for (const models::Phase& phase : schedule)
    for (std::int64_t round = 0; round < phase.repeats; ++round) {
      transfers.clear();
      phase.fill(round, transfers);
      for (const models::Transfer& sent : transfers) {
        const auto& had = received[static_cast<std::size_t>(sent.from)];
        const auto overlaps = [&sent](const models::ElementRange& part) {
          return part.begin < sent.elements.begin + sent.elements.count &&
                 sent.elements.begin < part.begin + part.count;
        };
        if (std::any_of(had.begin(), had.end(), overlaps)) return false;
      }
      for (const models::Transfer& sent : transfers)
        received[static_cast<std::size_t>(sent.to)].push_back(sent.elements);
    }
  return true;
}

std::string direct_exchanges() {
  constexpr int members = 4;
  std::string all;
  for (const auto& row : models::collectives().rows()) {
    const models::CollectiveAlgorithm made = models::made_by_default(row);
    for (const models::CollectiveKind kind : made.kinds)
      if (row_is_direct(made, example_group(members), kind).value_or(false))
        all += fmt::format("{}{} by {}", all.empty() ? "" : ", ",
                           models::collective_kind_names[static_cast<std::size_t>(kind)], row.name);
  }
  return all;
}

void check_direct(const topologies::World& world, const models::Group& group, models::CollectiveKind kind,
                  const std::string& algorithm, models::Bytes size, const models::Place& place) {
  const std::optional<std::string> lossy = lossy_for_good(world);
  if (!lossy) return;
  models::Group few;
  const auto looked_at = static_cast<std::ptrdiff_t>(std::min(group.size(), members_looked_at));
  few.ranks.assign(group.ranks.begin(), group.ranks.begin() + looked_at);
  few.node.assign(group.node.begin(), group.node.begin() + looked_at);
  const std::string_view name =
      algorithm == "auto" ? models::automatic_algorithm(kind, group, size) : std::string_view(algorithm);
  const models::Row<models::CollectiveAlgorithm>* row = models::collectives().find(name);
  models::ensure(row != nullptr, "a planned collective has a known algorithm");
  if (row_is_direct(models::made_by_default(*row), few, kind).value_or(true)) return;
  throw models::Error(
      place,
      fmt::format("{} by {} passes on what it received, but {}",
                  models::collective_kind_names[static_cast<std::size_t>(kind)], name, *lossy),
      fmt::format("direct exchanges can bear the loss: {}; or send again: transport: tcp", direct_exchanges()));
}

}  // namespace sim
