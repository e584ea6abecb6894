// Choice of algorithm and protocol by predicted time. The structure is NCCL's own (src/graph/tuning.cc: base latency +
// steps x hardware latency + bytes / rate, the smallest of all pairs); the constants are fitted, not NCCL's.

#include <algorithm>
#include <vector>

#include "models/base/error.hpp"
#include "models/collective/protocol.hpp"

namespace models {

namespace {

constexpr Bytes smallest_added_in_switch{2.0};  // NVLS: fp16, bf16 and wider (NCCL src/enqueue.cc)

// Messages from one member to another, without a chain of members that pass chunks on.
bool between_pairs(CollectiveKind kind) {
  return kind == CollectiveKind::all_to_all || kind == CollectiveKind::send_recv ||
         kind == CollectiveKind::neighbor_exchange;
}

// Whether each member has a slice that stays with it, and is copied.
bool keeps_slice(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
         kind == CollectiveKind::all_gather || kind == CollectiveKind::all_to_all;
}

// What one member keeps to itself, and sends to one other.
Bytes slice_of(CollectiveKind kind, const Group& group, Bytes size) {
  const double n = std::max(1, group.size());
  return kind == CollectiveKind::all_to_all ? size / (n * n) : size / n;
}

Pace pace_of(const Protocols& protocols, const Protocol& protocol, CollectiveKind kind, Bytes slice, int channels) {
  Pace pace{protocol.start_up, protocol.step, protocol.wire};
  if (between_pairs(kind) && protocol.name == protocols.pairwise.large) {
    const double share = protocols.pairwise.start_up_share;
    pace.start_up = std::max(Seconds{}, (protocol.start_up + protocol.step) * share - protocol.step);
  }
  if (protocols.copy && keeps_slice(kind)) pace.start_up += slice / *protocols.copy;
  if (channels > 0 && protocols.channel)
    pace.wire = std::max(pace.wire, protocols.link / (*protocols.channel * static_cast<double>(channels)));
  return pace;
}

class Chooser {
 public:
  Chooser(const Protocols& protocols, CollectiveKind kind, const Group& group, Bytes size, const CollectiveWish& wish,
          const RoundsTime& rounds_time)
      : protocols_(protocols),
        kind_(kind),
        members_(group.size()),
        wish_(wish),
        slice_(slice_of(kind, group, size)),
        time_(rounds_time) {
    if (kind == CollectiveKind::all_to_all && wish.algorithm == "auto" && !protocols.pairwise.large.empty())
      usual_ = slice_ < protocols.pairwise.chunk ? "direct" : "pairwise";
    else
      usual_ = wish.algorithm == "auto" ? automatic_algorithm(kind, group, size) : wish.algorithm;
    if (const auto* row = collectives().find(usual_)) usual_ = row->name;  // which outlives the wish
  }

  Choice best() {
    for (const Protocol& protocol : protocols_.all) consider(protocol);
    if (best_.protocol != nullptr) return best_;
    if (wish_.protocol != "auto") refuse();
    best_ = {usual_, nullptr, {}};
    return best_;
  }

 private:
  void consider(const Protocol& protocol) {
    if (wish_.protocol != "auto" && wish_.protocol != protocol.name) return;
    if (wish_.protocol == "auto" && !of_its_size(protocol)) return;
    Pace pace = pace_of(protocols_, protocol, kind_, slice_, wish_.channels);
    if (protocol.in_switch) {
      // A wished ring is a ring.
      const bool possible = kind_ == CollectiveKind::all_reduce && usual_ == "ring" && members_ > 2 &&
                            wish_.element >= smallest_added_in_switch;
      if (!possible || (wish_.algorithm != "auto" && wish_.protocol == "auto")) return;
      pace.wire *= static_cast<double>(members_ + 1) / static_cast<double>(2 * (members_ - 1));
    }
    const Seconds time = pace.start_up + time_(usual_, pace);
    if (best_.protocol != nullptr && time >= least_) return;
    best_ = {usual_, &protocol, pace};
    least_ = time;
  }

  [[noreturn]] void refuse() const {
    throw Error(Place{},
                "protocol '" + std::string(wish_.protocol) +
                    "' is for all-reduces of 3 and more members in ring order, of 2 bytes and more an element, "
                    "not for this " +
                    std::string(collective_kind_names[static_cast<std::size_t>(kind_)]),
                "leave `protocol` out");
  }

  bool of_its_size(const Protocol& protocol) const {
    if (!between_pairs(kind_) || protocols_.pairwise.large.empty()) return true;
    return protocol.name ==
           (slice_ <= protocols_.pairwise.small_up_to ? protocols_.pairwise.small : protocols_.pairwise.large);
  }

  const Protocols& protocols_;
  CollectiveKind kind_;
  int members_;
  const CollectiveWish& wish_;
  Bytes slice_;
  const RoundsTime& time_;
  std::string_view usual_;
  Choice best_;
  Seconds least_{};
};

}  // namespace

void check_protocol(const Protocols& protocols, std::string_view wished) {
  if (wished == "auto" || protocols.find(wished) != nullptr) return;
  std::string known;
  for (const Protocol& protocol : protocols.all) known += (known.empty() ? "" : ", ") + protocol.name;
  throw Error(
      Place{}, "the links between these GPUs have no protocol '" + std::string(wished) + "'",
      known.empty() ? "leave `protocol` out: nothing is known of protocols on such links" : "known there: " + known);
}

Choice choose(const Protocols& protocols, CollectiveKind kind, const Group& group, Bytes size,
              const CollectiveWish& wish, const RoundsTime& rounds_time) {
  check_protocol(protocols, wish.protocol);
  return Chooser(protocols, kind, group, size, wish, rounds_time).best();
}

SwitchedRounds::SwitchedRounds(const Schedule& schedule, int members, std::int64_t elements) {
  std::vector<Transfer> transfers;
  std::vector<double> sent, received;
  for (const models::Phase& phase : schedule) {
    transfers.clear();
    phase.fill(0, transfers);
    sent.assign(static_cast<std::size_t>(members), 0.0);
    received = sent;
    for (const Transfer& transfer : transfers) {
      const double share = static_cast<double>(transfer.elements.count) / static_cast<double>(elements);
      sent[static_cast<std::size_t>(transfer.from)] += share;
      received[static_cast<std::size_t>(transfer.to)] += share;
    }
    phases_.push_back(
        {static_cast<double>(phase.repeats),
         std::max(*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end()))});
  }
}

Seconds SwitchedRounds::time(Bytes size, Seconds route, BytesPerSecond rate, const Pace& pace) const {
  Seconds sum{};
  for (const Phase& phase : phases_)
    sum += (route + pace.step + size * phase.busiest * pace.wire / rate) * phase.rounds;
  return sum;
}

}  // namespace models
