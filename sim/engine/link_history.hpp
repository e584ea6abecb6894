#pragma once
// Link history: what every link had carried at up to 64 instants of a run, however long the run becomes: when the table
// is full, every second instant is dropped and the distance doubles.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "sim/engine/core.hpp"
#include "sim/engine/player.hpp"
#include "sim/result/result.hpp"
#include "topologies/fabric/fabric.hpp"

namespace sim {

class LinkHistory final : private EventSource {
 public:
  LinkHistory(Core& core, const Player& player, const topologies::Fabric& fabric);
  LinkHistory(const LinkHistory&) = delete;
  LinkHistory& operator=(const LinkHistory&) = delete;

  // Columns time_s and one per link: bytes since the row before over capacity x time. `end`: at the end of the run.
  Series series(std::span<const topologies::LinkId> links, double end_s, const std::vector<Network::Usage>& end) const;

 private:
  struct Instant {
    double time_s = 0.0;
    std::vector<double> bytes;  // by link
  };
  void settle() override;
  double next() const override { return std::numeric_limits<double>::infinity(); }
  void advance() override {}

  Core& core_;
  const Player& player_;
  const topologies::Fabric& fabric_;
  std::size_t most_instants_;
  std::vector<Instant> instants_;
  double next_s_ = 0.0, distance_s_ = 0.0;
};

}  // namespace sim
