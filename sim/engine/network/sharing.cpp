#include "sim/engine/network/sharing.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "models/base/error.hpp"

namespace sim {

namespace {

constexpr double no_rate = -1.0;

double usage_of(const Sharer& sharer, std::uint32_t i) { return sharer.usage == nullptr ? 1.0 : sharer.usage[i]; }

}  // namespace

Sharing::Sharing(const topologies::Fabric& fabric) : links_(fabric.links().size()) {
  for (std::size_t i = 0; i < links_.size(); ++i)
    links_[i].capacity = fabric.capacity(static_cast<topologies::LinkId>(i)).value;
}

void Sharing::lay_out(std::span<const Sharer> sharers) {
  touched_.clear();
  capped_.clear();
  for (std::uint32_t s = 0; s < sharers.size(); ++s) {
    const Sharer& sharer = sharers[s];
    double lone = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < sharer.link_count; ++i) {
      Link& link = links_[static_cast<std::size_t>(sharer.links[i])];
      if (link.degree == 0) {
        touched_.push_back(sharer.links[i]);
        link.left = link.capacity;
        link.usage = 0.0;
      }
      ++link.degree;
      link.usage += usage_of(sharer, i);
      lone = std::min(lone, link.capacity / usage_of(sharer, i));
    }
    if (sharer.ceiling > 0.0 && sharer.ceiling < lone) capped_.push_back(s);
  }
  std::uint32_t first = 0;
  for (const topologies::LinkId id : touched_) {
    Link& link = links_[static_cast<std::size_t>(id)];
    link.first = first;
    first += link.degree;
    link.degree = 0;
  }
  members_.resize(first);
  for (std::uint32_t s = 0; s < sharers.size(); ++s)
    for (std::uint32_t i = 0; i < sharers[s].link_count; ++i) {
      Link& link = links_[static_cast<std::size_t>(sharers[s].links[i])];
      members_[link.first + link.degree++] = s;
    }
  std::stable_sort(capped_.begin(), capped_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return sharers[a].ceiling < sharers[b].ceiling; });
}

void Sharing::fix(const Sharer& sharer, double rate) {
  for (std::uint32_t i = 0; i < sharer.link_count; ++i) {
    Link& link = links_[static_cast<std::size_t>(sharer.links[i])];
    link.left -= rate * usage_of(sharer, i);
    link.usage -= usage_of(sharer, i);
  }
}

void Sharing::solve(std::span<const Sharer> sharers, std::vector<double>& rates) {
  rates.assign(sharers.size(), no_rate);
  if (sharers.size() == 1) {
    const Sharer& sharer = sharers.front();
    double rate = sharer.ceiling > 0.0 ? sharer.ceiling : std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < sharer.link_count; ++i)
      rate = std::min(rate, capacity(sharer.links[i]) / usage_of(sharer, i));
    rates.front() = rate;
    for (std::uint32_t i = 0; i < sharer.link_count; ++i)
      links_[static_cast<std::size_t>(sharer.links[i])].left = capacity(sharer.links[i]) - rate * usage_of(sharer, i);
    return;
  }
  lay_out(sharers);
  levels_.clear();
  for (const topologies::LinkId id : touched_) {
    const Link& link = links_[static_cast<std::size_t>(id)];
    levels_.push_back({link.left / link.usage, id});
  }
  std::make_heap(levels_.begin(), levels_.end(), std::greater<>());

  // Fixing a sharer at the lowest level never lowers another link's share, so a stale entry of the heap is a lower
  // bound.
  std::size_t unfixed = sharers.size();
  auto capped = capped_.begin();
  double level = 0.0;
  while (unfixed > 0) {
    models::ensure(!levels_.empty(), "a sharer without a rate has a link with a share left");
    const Level lowest = levels_.front();
    Link& link = links_[static_cast<std::size_t>(lowest.link)];
    const bool done = link.usage < 0.5;  // usages are whole numbers
    double share = done ? 0.0 : std::max(level, link.left / link.usage);
    if (share <= level * (1.0 + equal_rates)) share = level;
    if (done || share > lowest.share * (1.0 + equal_rates)) {
      std::pop_heap(levels_.begin(), levels_.end(), std::greater<>());
      if (done) {
        levels_.pop_back();
      } else {
        levels_.back().share = share;
        std::push_heap(levels_.begin(), levels_.end(), std::greater<>());
      }
      continue;
    }
    while (capped != capped_.end() && rates[*capped] != no_rate) ++capped;
    if (capped != capped_.end() && sharers[*capped].ceiling <= share) {
      level = sharers[*capped].ceiling;
      rates[*capped] = level;
      fix(sharers[*capped], level);
      --unfixed;
      continue;
    }
    level = share;
    for (std::uint32_t m = link.first; m < link.first + link.degree; ++m) {
      const std::uint32_t s = members_[m];
      if (rates[s] != no_rate) continue;
      rates[s] = level;
      fix(sharers[s], level);
      --unfixed;
    }
  }
  for (const topologies::LinkId id : touched_) links_[static_cast<std::size_t>(id)].degree = 0;
}

}  // namespace sim
