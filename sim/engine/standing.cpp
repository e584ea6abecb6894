#include "sim/engine/standing.hpp"

#include <algorithm>

namespace sim {
namespace {

// When every member enters a round and every transfer begins and ends, up to `elapsed`: t(r + 1) = max over its
// transfers of t(r) of the sender + duration.
template <class AtRound, class Started>
void walk(const CollapsedPlan& plan, int members, double element_bytes, double elapsed, const AtRound& at_round,
          const Started& started) {
  std::vector<double> start(static_cast<std::size_t>(members), 0.0), next;
  std::int64_t round = 0;
  for (const CollapsedPhase& phase : plan.phases) {
    for (std::int64_t r = 0; r < phase.rounds; ++r, ++round) {
      bool any = false;
      for (std::size_t m = 0; m < start.size(); ++m)
        if (start[m] <= elapsed) {
          at_round(m, round);
          any = true;
        }
      if (!any) return;
      next = start;
      for (std::size_t t = 0; t < phase.from.size(); ++t) {
        const auto from = static_cast<std::size_t>(phase.from[t]), to = static_cast<std::size_t>(phase.to[t]);
        const TransferClass& of = phase.classes[phase.class_of[t]];
        const double end = start[from] + of.seconds(element_bytes);
        next[from] = std::max(next[from], end);
        next[to] = std::max(next[to], end);
        if (start[from] <= elapsed) started(round, t, of, start[from], end);
      }
      start.swap(next);
    }
  }
  for (std::size_t m = 0; m < start.size(); ++m)
    if (start[m] <= elapsed) at_round(m, round);
}

}  // namespace

Standing standing_at(double elapsed, const models::Group& group, const CollapsedPlan& plan, double element_bytes,
                     RouteCache& routes, Carriage& carriage) {
  Standing standing;
  Position& position = standing.position;
  position.round.assign(static_cast<std::size_t>(group.size()), 0);
  walk(
      plan, group.size(), element_bytes, elapsed,
      [&position](std::size_t m, std::int64_t round) { position.round[m] = round; },
      [](std::int64_t, std::size_t, const TransferClass&, double, double) {});
  const std::int64_t base = *std::min_element(position.round.begin(), position.round.end());
  std::size_t phase = 0;
  std::int64_t phase_end = plan.phases.front().rounds;
  struct Crossed {
    std::int32_t transfers = 1;  // at once, in the present phase
    bool full = false;
  };
  std::vector<Crossed> crossed(carriage.links.size());
  const auto count_crossings = [&crossed](const CollapsedPhase& of) {
    for (const TransferClass& c : of.classes)
      for (std::size_t l = 0; l < c.links.size(); ++l)
        crossed[static_cast<std::size_t>(c.links[l])] = {c.usage[l], c.full[l] != 0};
  };
  count_crossings(plan.phases.front());
  walk(
      plan, group.size(), element_bytes, elapsed, [](std::size_t, std::int64_t) {},
      [&](std::int64_t round, std::size_t t, const TransferClass& of, double begin, double end) {
        while (round >= phase_end) {
          phase_end += plan.phases[++phase].rounds;
          count_crossings(plan.phases[phase]);
        }
        const double bytes = of.elements * element_bytes;
        const double passed = elapsed - begin;
        const double sent = end <= elapsed ? bytes : std::clamp((passed - of.delay) * of.rate, 0.0, bytes);
        const std::vector<int>& from = plan.phases[phase].from;
        const std::vector<int>& to = plan.phases[phase].to;
        const auto host = [&](int m) { return static_cast<int>(group.ranks[static_cast<std::size_t>(m)]); };
        for (const topologies::LinkId link : routes.entry(routes.find(host(from[t]), host(to[t]))).links) {
          if (sent <= 0.0) break;
          const Crossed& by = crossed[static_cast<std::size_t>(link)];
          const double busy_s = sent / of.rate / by.transfers;
          carriage.links[static_cast<std::size_t>(link)].add({sent, busy_s, by.full ? busy_s : 0.0, by.transfers});
        }
        carriage.ledger.delivered(host(from[t]), host(to[t]), sent);
        if (end > elapsed)
          position.moving.push_back(
              {round, static_cast<std::uint32_t>(t), std::max(0.0, of.delay - passed), bytes - sent});
        else
          ++standing.transfers_ended;
        if (end <= elapsed && round >= base) position.ended.push_back({round, static_cast<std::uint32_t>(t)});
      });
  return standing;
}

}  // namespace sim
