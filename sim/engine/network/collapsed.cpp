#include "sim/engine/network/collapsed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "models/base/error.hpp"

namespace sim {

namespace {

using models::Transfer;
using topologies::LinkId;

constexpr std::size_t most_classes = 256;
constexpr std::int64_t most_transfers = std::int64_t{1} << 20;  // looked at in one plan before phases are sampled
constexpr std::int64_t fewest_samples = 8;
constexpr std::int64_t most_in_one_round = std::int64_t{1} << 23;  // about 1 GiB of transfers and rates

bool near(double a, double b) { return std::abs(a - b) <= equal_rates * std::max(std::abs(a), std::abs(b)); }

bool same_transfers(const std::vector<Transfer>& a, const std::vector<Transfer>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Transfer& x, const Transfer& y) {
    return x.from == y.from && x.to == y.to && x.elements.count == y.elements.count;
  });
}

class Analysis {
 public:
  Analysis(const models::Group& group, RouteCache& routes, Sharing& sharing, KeepTransfers keep, double element_bytes)
      : group_(group),
        routes_(routes),
        sharing_(sharing),
        keep_(keep),
        element_bytes_(element_bytes),
        crossing_(routes.fabric().links().size(), 0),
        load_(crossing_.size(), 0.0),
        owner_(crossing_.size(), 0),
        place_(crossing_.size(), 0),
        took_part_(group.ranks.size(), 1) {}

  void add(const models::Phase& phase, std::int64_t rounds) {
    transfers_.clear();
    phase.fill(0, transfers_);
    if (transfers_.empty()) return;
    models::ensure(static_cast<std::int64_t>(transfers_.size()) <= most_in_one_round,
                   "a round has at most 8 million transfers; plan() refuses more");
    if (phase.repeats > 1) {
      other_.clear();
      phase.fill(phase.repeats - 1, other_);
      if (!same_transfers(transfers_, other_)) plan_.exact = false;
    }
    if (!plan_.phases.empty() && same_transfers(transfers_, previous_)) {
      plan_.phases.back().rounds += rounds;
      return;
    }
    // Only lockstep may be followed by another pattern.
    if (!lockstep_) plan_.exact = false;
    plan_.phases.push_back(analysed(rounds));
    previous_.swap(transfers_);
  }

  CollapsedPlan finish() {
    if (!lockstep_ && !apart_ && !(plan_.phases.back().rounds == 1 && classes_apart_)) plan_.exact = false;
    return std::move(plan_);
  }
  void mark_sampled() { plan_.exact = false; }

 private:
  CollapsedPhase analysed(std::int64_t rounds) {
    sharers_.clear();
    bool apart = true;
    touched_.clear();
    delays_.clear();
    for (const Transfer& transfer : transfers_) {
      const std::uint32_t index = routes_.find(host(transfer.from), host(transfer.to));
      const RouteEntry& route = routes_.entry(index);
      const MessageCost cost =
          routes_.average_message(index, static_cast<double>(transfer.elements.count) * element_bytes_);
      if (route.messages && route.messages->drawn()) plan_.exact = false;
      sharers_.push_back({route.links.data(), nullptr, static_cast<std::uint32_t>(route.links.size()), cost.ceiling});
      delays_.push_back(cost.delay);
      for (const LinkId link : route.links) {
        auto& count = crossing_[static_cast<std::size_t>(link)];
        if (count++ == 0) touched_.push_back(link);
        apart = apart && count == 1;
      }
    }
    solve_rates(apart);
    CollapsedPhase phase;
    phase.rounds = rounds;
    classes_apart_ = sort_into_classes(phase);
    mark_full_links(phase);
    for (const LinkId link : touched_) crossing_[static_cast<std::size_t>(link)] = 0;

    if (!check_senders()) plan_.exact = false;
    lockstep_ = phase.classes.size() == 1;
    apart_ = apart;
    if (keep_ == KeepTransfers::yes)
      for (const Transfer& transfer : transfers_) {
        phase.from.push_back(transfer.from);
        phase.to.push_back(transfer.to);
      }
    return phase;
  }

  int host(int member) const { return static_cast<int>(group_.ranks[static_cast<std::size_t>(member)]); }

  void solve_rates(bool apart) {
    if (!apart) {
      sharing_.solve(sharers_, rates_);
      return;
    }
    rates_.clear();
    for (const Sharer& sharer : sharers_) {
      double rate = sharer.ceiling > 0.0 ? sharer.ceiling : std::numeric_limits<double>::infinity();
      for (std::uint32_t l = 0; l < sharer.link_count; ++l) rate = std::min(rate, sharing_.capacity(sharer.links[l]));
      rates_.push_back(rate);
    }
  }

  // Whether no two classes share a link.
  bool sort_into_classes(CollapsedPhase& phase) {
    bool apart = true;
    for (const LinkId link : touched_) owner_[static_cast<std::size_t>(link)] = no_class;
    class_links_.clear();
    std::size_t last = 0;
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      const auto elements = static_cast<double>(transfers_[i].elements.count);
      const auto fits = [&](const TransferClass& c) {
        return near(c.delay, delays_[i]) && near(c.rate, rates_[i]) && c.elements == elements;
      };
      std::size_t c = last;
      if (c >= phase.classes.size() || !fits(phase.classes[c]))
        c = static_cast<std::size_t>(std::find_if(phase.classes.begin(), phase.classes.end(), fits) -
                                     phase.classes.begin());
      if (c == phase.classes.size()) {
        if (c == most_classes) {  // too irregular to be told apart: the slowest stands for the rest
          plan_.exact = false;
          c = 0;
          phase.classes[0].delay = std::max(phase.classes[0].delay, delays_[i]);
          phase.classes[0].rate = std::min(phase.classes[0].rate, rates_[i]);
          phase.classes[0].elements = std::max(phase.classes[0].elements, elements);
        } else {
          phase.classes.push_back({delays_[i], rates_[i], elements, 0, {}, {}});
        }
      }
      last = c;
      ++phase.classes[c].transfers;
      if (keep_ == KeepTransfers::yes) phase.class_of.push_back(static_cast<std::uint16_t>(c));
      for (std::uint32_t l = 0; l < sharers_[i].link_count; ++l) {
        const LinkId link = sharers_[i].links[l];
        std::uint32_t& owner = owner_[static_cast<std::size_t>(link)];
        TransferClass& mine = phase.classes[c];
        if (owner == no_class) {
          owner = static_cast<std::uint32_t>(c);
          place_[static_cast<std::size_t>(link)] = static_cast<std::uint32_t>(mine.links.size());
          mine.links.push_back(link);
          mine.usage.push_back(1);
        } else if (owner == c) {
          ++mine.usage[place_[static_cast<std::size_t>(link)]];
        } else {
          apart = false;
        }
        class_links_.push_back({static_cast<std::uint32_t>(c), link});
      }
    }
    if (apart) return true;
    // A link of several classes: count again, class by class.
    for (TransferClass& c : phase.classes) {
      c.links.clear();
      c.usage.clear();
    }
    std::sort(class_links_.begin(), class_links_.end());
    for (std::size_t i = 0; i < class_links_.size(); ++i) {
      TransferClass& c = phase.classes[class_links_[i].first];
      if (i > 0 && class_links_[i] == class_links_[i - 1]) {
        ++c.usage.back();
      } else {
        c.links.push_back(class_links_[i].second);
        c.usage.push_back(1);
      }
    }
    return false;
  }

  void mark_full_links(CollapsedPhase& phase) {
    for (const TransferClass& c : phase.classes)
      for (std::size_t l = 0; l < c.links.size(); ++l)
        load_[static_cast<std::size_t>(c.links[l])] += c.rate * static_cast<double>(c.usage[l]);
    for (TransferClass& c : phase.classes)
      for (const LinkId link : c.links)
        c.full.push_back(load_[static_cast<std::size_t>(link)] >= sharing_.capacity(link) * (1.0 - nothing_left));
    for (const LinkId link : touched_) load_[static_cast<std::size_t>(link)] = 0.0;
  }

  // Lockstep needs every sender of a round in the round before; within a phase each sender is.
  bool check_senders() {
    bool ready = true;
    for (const Transfer& transfer : transfers_)
      ready = ready && took_part_[static_cast<std::size_t>(transfer.from)] != 0;
    std::fill(took_part_.begin(), took_part_.end(), static_cast<char>(0));
    for (const Transfer& transfer : transfers_)
      took_part_[static_cast<std::size_t>(transfer.from)] = took_part_[static_cast<std::size_t>(transfer.to)] = 1;
    return ready;
  }

  static constexpr std::uint32_t no_class = std::numeric_limits<std::uint32_t>::max();

  const models::Group& group_;
  RouteCache& routes_;
  Sharing& sharing_;
  KeepTransfers keep_;
  double element_bytes_;
  CollapsedPlan plan_;
  std::vector<std::uint32_t> crossing_;           // by link
  std::vector<double> load_;                      // by link, bytes/s
  std::vector<std::uint32_t> owner_, place_;      // by link; place_: in the owner's links
  std::vector<char> took_part_;
  std::vector<Transfer> transfers_, other_, previous_;
  std::vector<Sharer> sharers_;
  std::vector<double> delays_, rates_;
  std::vector<LinkId> touched_;
  std::vector<std::pair<std::uint32_t, LinkId>> class_links_;
  bool lockstep_ = true, apart_ = true, classes_apart_ = true;  // of the last pattern
};

}  // namespace

double CollapsedPhase::round_s(double element_bytes) const {
  double slowest = 0.0;
  for (const TransferClass& c : classes) slowest = std::max(slowest, c.seconds(element_bytes));
  return slowest;
}

double CollapsedPlan::duration_s(double element_bytes) const {
  double sum = 0.0;
  for (const CollapsedPhase& phase : phases) sum += static_cast<double>(phase.rounds) * phase.round_s(element_bytes);
  return sum;
}

CollapsedPlan collapse(const models::Group& group, const models::Schedule& schedule, RouteCache& routes,
                       Sharing& sharing, KeepTransfers keep, double element_bytes) {
  Analysis analysis(group, routes, sharing, keep, element_bytes);
  const auto count = static_cast<std::int64_t>(schedule.size());
  const std::int64_t affordable = std::max(fewest_samples, most_transfers / std::max(1, group.size()));
  if (count <= affordable) {
    for (const models::Phase& phase : schedule) analysis.add(phase, phase.repeats);
    return analysis.finish();
  }
  // Each sample stands for the phases from the middle before it to the middle behind it.
  analysis.mark_sampled();
  std::int64_t next = 0;
  for (std::int64_t s = 0; s < affordable; ++s) {
    const std::int64_t end = (s + 1) * count / affordable;
    std::int64_t rounds = 0;
    for (std::int64_t i = next; i < end; ++i) rounds += schedule[static_cast<std::size_t>(i)].repeats;
    analysis.add(schedule[static_cast<std::size_t>((next + end) / 2)], rounds);
    next = end;
  }
  return analysis.finish();
}

}  // namespace sim
