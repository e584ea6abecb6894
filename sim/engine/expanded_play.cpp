#include "sim/engine/expanded_play.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"

namespace sim {

namespace {

constexpr int round_shift = 32;  // a flow's tag: round above, transfer below

bool has_pairs(const Pattern& pattern, const std::vector<models::Transfer>& transfers) {
  if (pattern.from.size() != transfers.size()) return false;
  for (std::size_t i = 0; i < transfers.size(); ++i)
    if (pattern.from[i] != transfers[i].from || pattern.to[i] != transfers[i].to) return false;
  return true;
}

std::unique_ptr<const Pattern> pattern_of(const std::vector<models::Transfer>& transfers, std::size_t members) {
  auto pattern = std::make_unique<Pattern>();
  pattern->first.assign(members + 1, 0);
  pattern->expected.assign(members, 0);
  for (const models::Transfer& transfer : transfers) {
    pattern->from.push_back(transfer.from);
    pattern->to.push_back(transfer.to);
    ++pattern->first[static_cast<std::size_t>(transfer.from) + 1];
    ++pattern->expected[static_cast<std::size_t>(transfer.from)];
    ++pattern->expected[static_cast<std::size_t>(transfer.to)];
  }
  for (std::size_t m = 0; m < members; ++m) pattern->first[m + 1] += pattern->first[m];
  pattern->sent.resize(transfers.size());
  std::vector<std::uint32_t> next(pattern->first.begin(), pattern->first.end() - 1);
  for (std::uint32_t i = 0; i < transfers.size(); ++i)
    pattern->sent[next[static_cast<std::size_t>(transfers[i].from)]++] = i;
  return pattern;
}

}  // namespace

ExpandedPlay::ExpandedPlay(Network& network, RouteCache& routes, const models::Group& group,
                           const models::Schedule& schedule, double element_bytes, double step, Patterns& patterns,
                           PlayEnd& end, std::uint64_t slot)
    : network_(network),
      routes_(routes),
      group_(group),
      schedule_(schedule),
      element_bytes_(element_bytes),
      step_(step),
      patterns_(patterns),
      end_(end),
      slot_(slot),
      member_round_(group.ranks.size(), 0),
      members_left_(group.size()) {
  for (const models::Phase& phase : schedule) rounds_ += phase.repeats;
}

ExpandedPlay::Round& ExpandedPlay::round(std::int64_t index) {
  while (index >= base_ + static_cast<std::int64_t>(window_.size())) {
    const std::int64_t made = base_ + static_cast<std::int64_t>(window_.size());
    while (made - phase_begin_ >= schedule_[phase_].repeats) phase_begin_ += schedule_[phase_++].repeats;
    const models::Phase& phase = schedule_[phase_];
    transfers_.clear();
    phase.fill(made - phase_begin_, transfers_);
    std::unique_ptr<const Pattern>& known = patterns_[phase.same_links];
    if (!known) known = pattern_of(transfers_, group_.ranks.size());
    const Pattern* pattern = known.get();
    if (!has_pairs(*pattern, transfers_)) {
      own_patterns_.push_back(pattern_of(transfers_, group_.ranks.size()));
      pattern = own_patterns_.back().get();
    }
    Round fresh;
    if (!spare_.empty()) {
      fresh = std::move(spare_.back());
      spare_.pop_back();
    }
    fresh.pattern = pattern;
    fresh.bytes.clear();
    for (const models::Transfer& transfer : transfers_)
      fresh.bytes.push_back(static_cast<double>(transfer.elements.count) * element_bytes_);
    fresh.outstanding = pattern->expected;
    fresh.members_left = group_.size();
    window_.push_back(std::move(fresh));
  }
  return window_[static_cast<std::size_t>(index - base_)];
}

Flow ExpandedPlay::flow(std::int64_t round_index, const Round& of, std::uint32_t transfer) const {
  const auto host = [this](int member) { return static_cast<int>(group_.ranks[static_cast<std::size_t>(member)]); };
  Flow made{host(of.pattern->from[transfer]),
            host(of.pattern->to[transfer]),
            models::Bytes{of.bytes[transfer]},
            (static_cast<std::uint64_t>(round_index) << round_shift) | transfer,
            {}};
  if (step_ > 0.0) made.delay = models::Seconds{routes_.entry(routes_.find(made.from, made.to)).delay + step_};
  return made;
}

void ExpandedPlay::begin() {
  for (int m = 0; m < group_.size(); ++m) enter(m, 0);
  models::ensure(members_left_ > 0, "a schedule that is played has transfers");
}

// A member that neither sends nor receives in a round passes it at once.
void ExpandedPlay::enter(int member, std::int64_t index) {
  const auto m = static_cast<std::size_t>(member);
  for (;; ++index) {
    member_round_[m] = index;
    if (index == rounds_) {
      --members_left_;
      return;
    }
    Round& here = round(index);
    const Pattern& pattern = *here.pattern;
    if (pattern.first[m] != pattern.first[m + 1]) {
      starting_.clear();
      for (std::uint32_t i = pattern.first[m]; i < pattern.first[m + 1]; ++i)
        starting_.push_back(flow(index, here, pattern.sent[i]));
      network_.start(starting_, *this);
    }
    if (here.outstanding[m] > 0) return;
    --here.members_left;
  }
}

void ExpandedPlay::flow_ended(std::uint64_t tag) {
  const auto index = static_cast<std::int64_t>(tag >> round_shift);
  const auto transfer = static_cast<std::uint32_t>(tag);
  const Pattern& pattern = *round(index).pattern;
  const int from = pattern.from[transfer], to = pattern.to[transfer];
  transfer_ended(from, index);
  transfer_ended(to, index);
  drop_finished_rounds();
  if (members_left_ == 0) end_.play_ended(slot_);
}

void ExpandedPlay::transfer_ended(int member, std::int64_t index) {
  const auto m = static_cast<std::size_t>(member);
  Round& here = round(index);
  if (--here.outstanding[m] > 0 || member_round_[m] != index) return;
  --here.members_left;
  enter(member, index + 1);
}

void ExpandedPlay::drop_finished_rounds() {
  while (!window_.empty() && window_.front().members_left == 0) {
    spare_.push_back(std::move(window_.front()));
    window_.pop_front();
    ++base_;
  }
}

void ExpandedPlay::begin_at(const Position& position) {
  member_round_ = position.round;
  base_ = *std::min_element(member_round_.begin(), member_round_.end());
  std::int64_t last = *std::max_element(member_round_.begin(), member_round_.end());
  for (const Position::Moving& moving : position.moving) last = std::max(last, moving.round);
  for (std::int64_t r = base_; r <= std::min(last, rounds_ - 1); ++r) {
    Round& here = round(r);
    here.members_left = static_cast<int>(
        std::count_if(member_round_.begin(), member_round_.end(), [r](std::int64_t at) { return at <= r; }));
  }
  members_left_ = static_cast<int>(
      std::count_if(member_round_.begin(), member_round_.end(), [this](std::int64_t at) { return at < rounds_; }));
  for (const Position::Ended& ended : position.ended) {
    Round& here = round(ended.round);
    --here.outstanding[static_cast<std::size_t>(here.pattern->from[ended.transfer])];
    --here.outstanding[static_cast<std::size_t>(here.pattern->to[ended.transfer])];
  }
  starting_.clear();
  for (const Position::Moving& moving : position.moving) {
    Flow rest = flow(moving.round, round(moving.round), moving.transfer);
    rest.whole = rest.bytes;
    rest.bytes = models::Bytes{moving.bytes};
    rest.delay = models::Seconds{moving.delay};
    starting_.push_back(rest);
  }
  network_.start(starting_, *this);
}

}  // namespace sim
