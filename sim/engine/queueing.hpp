#pragma once
// How long the collectives of a run waited for their members and for their stream, and how long they moved data: by
// name, kind and size.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/communicator.hpp"
#include "sim/result/result.hpp"

namespace sim {

class Queueing {
 public:
  void add(const Communicator::Completion& of) {
    Waits& waits = waits_of(of.call);
    ++waits.calls;
    waits.members_s += (of.last_joined - of.first_joined).value;
    waits.stream_s += (of.played.begin - of.last_joined).value;
    waits.moving_s += (of.played.end - of.played.begin).value;
    waits.longest_s = std::max(waits.longest_s, (of.played.begin - of.first_joined).value);
  }

  // Means over the calls. members: from the first member's call to the last one's; stream: from there until the
  // collective before it has ended.
  Series series() const {
    Series series;
    series.name = "queueing";
    series.columns = {"collective", "kind",     "size_B",   "calls",
                      "members_s",  "stream_s", "moving_s", "longest_wait_s"};
    for (const Waits& of : waits_) {
      const double calls = static_cast<double>(of.calls);
      const std::size_t row = series.rows.size();
      series.rows.push_back({std::nullopt, std::nullopt, of.size_B, calls, of.members_s / calls, of.stream_s / calls,
                             of.moving_s / calls, of.longest_s});
      series.texts[{row, 0}] = of.name;
      series.texts[{row, 1}] = models::collective_kind_names[static_cast<std::size_t>(of.kind)];
    }
    return series;
  }

 private:
  struct Waits {
    std::string name;
    models::CollectiveKind kind{};
    std::optional<double> size_B;  // nothing: of all further sizes
    std::int64_t calls = 0;
    double members_s = 0.0, stream_s = 0.0, moving_s = 0.0, longest_s = 0.0;
  };
  static constexpr std::size_t most_told_apart = 256;

  Waits& waits_of(const models::CollectiveCall& call) {
    const double size_B = static_cast<double>(call.elements) * call.element_size.value;
    const auto fits = [&](const Waits& known) {
      return known.kind == call.kind && known.name == call.name && (!known.size_B || *known.size_B == size_B);
    };
    const auto known = std::find_if(waits_.begin(), waits_.end(), fits);
    if (known != waits_.end()) return *known;
    Waits fresh;
    fresh.name = call.name;
    fresh.kind = call.kind;
    if (waits_.size() < most_told_apart) fresh.size_B = size_B;
    waits_.push_back(std::move(fresh));
    return waits_.back();
  }
  std::vector<Waits> waits_;
};

}  // namespace sim
