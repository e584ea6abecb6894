#pragma once
// Max-min fair rates by progressive filling: all rates rise together; whoever meets a full link or its own ceiling
// stops there. Bertsekas and Gallager, Data Networks, 2nd ed. 1992, section 6.5.2.

#include <cstdint>
#include <span>
#include <vector>

#include "topologies/fabric/fabric.hpp"

namespace sim {

// One rate to be found. It takes usage[i] x rate from links[i]; a null `usage` is all ones. At least one link.
struct Sharer {
  const topologies::LinkId* links = nullptr;
  const std::int32_t* usage = nullptr;
  std::uint32_t link_count = 0;
  double ceiling = 0.0;  // 0: none
};

// Levels closer than this are one level: rounding must not split rates that are equal.
inline constexpr double equal_rates = 1e-12;
// Share of a link's capacity that rounding leaves of nothing: a million subtractions of a double.
inline constexpr double nothing_left = 1e-9;

class Sharing {
 public:
  explicit Sharing(const topologies::Fabric& fabric);
  double capacity(topologies::LinkId link) const { return links_[static_cast<std::size_t>(link)].capacity; }
  // Whether the sharers of the last solve() that cross the link take all of it.
  bool full(topologies::LinkId link) const {
    const Link& of = links_[static_cast<std::size_t>(link)];
    return of.left <= nothing_left * of.capacity;
  }
  // rates[i] for sharers[i], nobody else on their links.
  void solve(std::span<const Sharer> sharers, std::vector<double>& rates);

 private:
  struct Link {
    double capacity = 0.0, left = 0.0, usage = 0.0;  // usage: of sharers without a rate
    std::uint32_t degree = 0, first = 0;             // its part of members_
  };
  struct Level {
    double share;
    topologies::LinkId link;
    bool operator>(const Level& other) const { return share != other.share ? share > other.share : link > other.link; }
  };

  void lay_out(std::span<const Sharer> sharers);
  void fix(const Sharer& sharer, double rate);

  std::vector<Link> links_;
  std::vector<topologies::LinkId> touched_;
  std::vector<std::uint32_t> members_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> capped_;  // sharers whose ceiling may bind, by rising ceiling
};

}  // namespace sim
