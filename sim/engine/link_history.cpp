#include "sim/engine/link_history.hpp"

#include <algorithm>

namespace sim {
namespace {

constexpr std::size_t most_numbers = std::size_t{1} << 22;  // 32 MiB
constexpr std::size_t fewest_instants = 16;
constexpr std::size_t usual_instants = 64;

}  // namespace

LinkHistory::LinkHistory(Core& core, const Player& player, const topologies::Fabric& fabric)
    : core_(core),
      player_(player),
      fabric_(fabric),
      most_instants_(std::clamp(most_numbers / std::max<std::size_t>(1, fabric.links().size()), fewest_instants,
                                usual_instants)) {
  core.add_source(*this);
}

void LinkHistory::settle() {
  const double now = core_.now().value;
  if (now < next_s_ || (!instants_.empty() && now <= instants_.back().time_s)) return;
  if (instants_.size() == most_instants_) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < instants_.size(); i += 2) std::swap(instants_[kept++], instants_[i]);
    instants_.resize(kept);
    distance_s_ = 2.0 * now / static_cast<double>(most_instants_);
  }
  Instant instant{now, {}};
  for (const Network::Usage& link : player_.usage()) instant.bytes.push_back(link.bytes);
  instants_.push_back(std::move(instant));
  next_s_ = now + distance_s_;
}

Series LinkHistory::series(std::span<const topologies::LinkId> links, double end_s,
                           const std::vector<Network::Usage>& end) const {
  Series series;
  series.name = "link_utilization";
  series.columns.push_back("time_s");
  for (const topologies::LinkId link : links) series.columns.push_back(fabric_.link_name(link));
  const auto add = [&](double begin_s, double until_s, const auto& bytes_in) {
    std::vector<std::optional<double>> row{until_s};
    for (const topologies::LinkId link : links)
      row.emplace_back(bytes_in(static_cast<std::size_t>(link)) /
                       (fabric_.capacity(link).value * (until_s - begin_s)));
    series.rows.push_back(std::move(row));
  };
  for (std::size_t i = 1; i < instants_.size(); ++i)
    add(instants_[i - 1].time_s, instants_[i].time_s, [&](std::size_t link) {
      return std::max(0.0, instants_[i].bytes[link] - instants_[i - 1].bytes[link]);
    });
  if (!instants_.empty() && end_s > instants_.back().time_s)
    add(instants_.back().time_s, end_s,
        [&](std::size_t link) { return std::max(0.0, end[link].bytes - instants_.back().bytes[link]); });
  return series;
}

}  // namespace sim
