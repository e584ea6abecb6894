#include "sim/engine/player.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "models/base/error.hpp"
#include "sim/engine/expanded_play.hpp"
#include "sim/engine/known_group.hpp"
#include "sim/engine/network_uses.hpp"
#include "sim/engine/standing.hpp"

namespace sim {

namespace {

// A play: `starting` before its first transfer at `started`; `whole` as one event from (phase, round) at `since`;
// `rounds` as bundles, one round after the other; `expanded` as flows.
struct Play {
  enum class Mode { unused, starting, whole, rounds, expanded } mode = Mode::unused;
  KnownGroup* group = nullptr;
  KnownSchedule* known = nullptr;
  const char* name = "";
  double element_bytes = 0.0, begin = 0.0, started = 0.0, since = 0.0;
  std::size_t phase = 0;
  std::int64_t round = 0;
  std::size_t classes_left = 0;
  std::uint32_t version = 0;
  std::string_view backend, protocol;
  PlayObserver* observer = nullptr;
  std::uint64_t tag = 0;
  std::unique_ptr<ExpandedPlay> expanded;
};

}  // namespace

class Player::State final : private EventSink, private PlayEnd, private FlowObserver {
 public:
  State(Core& core, Network& network, RouteCache& routes, Expansion expansion)
      : core_(core),
        network_(network),
        routes_(routes),
        sharing_(routes.fabric()),
        expansion_(expansion),
        sizes_matter_(routes.sizes_matter()),
        taken_apart_(routes.fabric()) {
    network_.before_start([this] { take_apart(); });
  }

  std::vector<std::unique_ptr<KnownGroup>> groups_;
  models::CollectiveWish library_;

  void play(KnownGroup& group, const models::CollectiveCall& call, PlayObserver& observer, std::uint64_t tag) {
    parked_.clear();
    const double bytes = sizes_matter_ ? call.element_size.value * static_cast<double>(call.elements) : 0.0;
    const models::Choice choice = choice_of(group, call, library_, routes_, sharing_, bytes);
    KnownSchedule& known = known_schedule(group, call, choice.algorithm, choice.pace.step.value, bytes);
    const std::size_t slot = new_play();
    Play& play = plays_[slot];
    play.group = &group;
    play.known = &known;
    play.name = call.name;
    play.element_bytes = element_bytes(known, call) * choice.pace.wire;
    play.begin = core_.now().value;
    play.protocol = choice.protocol != nullptr ? std::string_view(choice.protocol->name) : std::string_view();
    play.observer = &observer;
    play.tag = tag;
    if (known.schedule.empty() || call.elements == 0) {
      play.backend = expansion_ == Expansion::expanded ? network_.name() : "collapsed";
      play.phase = std::numeric_limits<std::size_t>::max();
      end_at(slot, core_.now().value);
    } else if (choice.pace.start_up.value > 0.0) {
      play.mode = Play::Mode::starting;
      call_back(slot, core_.now().value + choice.pace.start_up.value);
    } else {
      begin(slot);
    }
  }

  std::vector<NetworkUse> report() const { return uses_.report(); }

  std::vector<Network::Usage> usage() const {
    std::vector<Network::Usage> all = network_.usage();
    const Carriage outside = carriage();
    for (std::size_t i = 0; i < all.size(); ++i) all[i].add(outside.links[i]);
    return all;
  }

  Ledger ledger() const {
    Ledger all = network_.ledger();
    all.add(carriage().ledger);
    return all;
  }

  std::int64_t transfers_started() const {
    std::int64_t begun = transfers_ + network_.flows_started();
    for (const std::size_t slot : whole_)
      under_way(plays_[slot], [&begun](const CollapsedPhase&, const std::vector<Carried>&, std::int64_t transfers) {
        begun += transfers;
      });
    return begun;
  }

 private:
  // What went past the network: whole rounds, and the parts of those under way.
  Carriage carriage() const {
    Carriage all = taken_apart_;
    for (const auto& group : groups_) all.add(*group);
    for (const std::size_t slot : whole_)
      under_way(plays_[slot],
                [&](const CollapsedPhase& phase, const std::vector<Carried>& carried, std::int64_t) {
                  all.add(plays_[slot].group->group, phase, carried);
                });
    return all;
  }

  // By phase, what a play that is one event has carried up to now.
  template <class Body>
  void under_way(const Play& play, const Body& body) const {
    if (!play.known->plan) return;
    double elapsed = core_.now().value - play.since;
    const std::vector<CollapsedPhase>& phases = play.known->plan->phases;
    std::vector<Carried> carried;
    for (std::size_t p = play.phase; p < phases.size() && elapsed > 0.0; ++p) {
      const double round_s = phases[p].round_s(play.element_bytes);
      const auto rounds = static_cast<double>(phases[p].rounds - (p == play.phase ? play.round : 0));
      const double done = std::min(rounds, round_s > 0.0 ? std::floor(elapsed / round_s) : rounds);
      elapsed -= done * round_s;
      carried.clear();
      std::int64_t transfers = 0;
      for (const TransferClass& of : phases[p].classes) {
        const double whole = of.elements * play.element_bytes;
        const double part = done < rounds ? std::clamp((elapsed - of.delay) * of.rate, 0.0, whole) : 0.0;
        const double bytes = done * whole + part;
        carried.push_back({bytes, bytes / of.rate});
        transfers += of.transfers * static_cast<std::int64_t>(std::min(rounds, done + 1.0));
      }
      body(phases[p], carried, transfers);
      if (done < rounds) return;
    }
  }

  // The first transfers.
  void begin(std::size_t slot) {
    Play& play = plays_[slot];
    KnownGroup& group = *play.group;
    play.started = core_.now().value;
    const bool large = group.group.size() > largest_expanded;
    const bool expand = expansion_ == Expansion::expanded || !network_.supports_bundles();
    const CollapsedPlan* plan = expand ? nullptr : &plan_of(group, *play.known, routes_, sharing_);
    const bool alone = network_.active() == 0 && whole_.empty();
    if (plan == nullptr || (expansion_ == Expansion::automatic && !large && !(plan->exact && alone))) {
      expanded(slot).begin();
    } else {
      play.backend = plan->exact ? "collapsed" : "approximate";
      play.phase = 0;
      play.round = 0;
      if (alone) {
        play_whole(slot);
      } else {
        play.backend = "approximate";
        start_round(slot, 0.0);
      }
    }
  }

  std::size_t new_play() {
    for (std::size_t i = 0; i < plays_.size(); ++i)
      if (plays_[i].mode == Play::Mode::unused) return i;
    plays_.emplace_back();
    return plays_.size() - 1;
  }

  void end_at(std::size_t slot, double time) {
    plays_[slot].mode = Play::Mode::whole;
    plays_[slot].since = time;
    call_back(slot, time);
  }

  void call_back(std::size_t slot, double time) {
    core_.call_at({time}, *this, (std::uint64_t{++plays_[slot].version} << 32) | slot);
  }

  ExpandedPlay& expanded(std::size_t slot) {
    Play& play = plays_[slot];
    play.mode = Play::Mode::expanded;
    play.backend = network_.name();
    PlayEnd& end = *this;
    play.expanded =
        std::make_unique<ExpandedPlay>(network_, routes_, play.group->group, play.known->schedule, play.element_bytes,
                                       play.known->step, play.group->patterns, end, slot);
    return *play.expanded;
  }

  // One event for all rounds from (phase, round) on.
  void play_whole(std::size_t slot) {
    Play& play = plays_[slot];
    const double now = core_.now().value;
    double rest = 0.0;
    for (std::size_t p = play.phase; p < play.known->plan->phases.size(); ++p) {
      const CollapsedPhase& phase = play.known->plan->phases[p];
      rest +=
          static_cast<double>(phase.rounds - (p == play.phase ? play.round : 0)) * phase.round_s(play.element_bytes);
    }
    end_at(slot, now + rest);
    play.since = now;
    whole_.push_back(slot);
  }

  void carry(const Play& play, std::size_t p, std::int64_t rounds) {
    const CollapsedPhase& phase = play.known->plan->phases[p];
    for (std::size_t c = 0; c < phase.classes.size(); ++c) {
      const double bytes = phase.classes[c].elements * play.element_bytes;
      play.known->carried[p][c].bytes += static_cast<double>(rounds) * bytes;
      play.known->carried[p][c].busy_s += static_cast<double>(rounds) * bytes / phase.classes[c].rate;
      transfers_ += rounds * phase.classes[c].transfers;
    }
  }

  void due(std::uint64_t argument) override {
    const auto slot = static_cast<std::size_t>(argument & 0xffffffffU);
    Play& play = plays_[slot];
    if (play.version != static_cast<std::uint32_t>(argument >> 32)) return;
    if (play.mode == Play::Mode::starting) {
      begin(slot);
      return;
    }
    if (play.mode != Play::Mode::whole) return;
    whole_.erase(std::remove(whole_.begin(), whole_.end(), slot), whole_.end());
    for (std::size_t p = play.phase; play.known->plan && p < play.known->plan->phases.size(); ++p)
      carry(play, p, play.known->plan->phases[p].rounds - (p == play.phase ? play.round : 0));
    finish(slot);
  }

  void play_ended(std::uint64_t slot) override { finish(static_cast<std::size_t>(slot)); }

  void finish(std::size_t slot) {
    Play& play = plays_[slot];
    uses_.count(play.name, play.known->algorithm, play.backend);
    if (play.expanded) parked_.push_back(std::move(play.expanded));  // it is still on the stack
    play.mode = Play::Mode::unused;
    ++play.version;
    PlayObserver* observer = play.observer;
    const std::uint64_t tag = play.tag;
    observer->played(tag,
                     {models::Seconds{play.begin}, core_.now(), play.known->algorithm, play.backend, play.protocol});
  }

  // Something else starts: what was one event goes on as traffic in the network, from where it stands.
  void take_apart() {
    if (whole_.empty()) return;
    const std::vector<std::size_t> all = std::exchange(whole_, {});
    const double now = core_.now().value;
    for (const std::size_t slot : all) {
      Play& play = plays_[slot];
      ++play.version;
      if (expansion_ == Expansion::automatic && play.group->group.size() <= largest_expanded) {
        const Standing standing = standing_at(now - play.started, play.group->group, *play.known->plan,
                                              play.element_bytes, routes_, taken_apart_);
        transfers_ += standing.transfers_ended;
        if (standing.position.moving.empty()) {
          play.phase = std::numeric_limits<std::size_t>::max();  // all is counted
          end_at(slot, now);
        } else {
          expanded(slot).begin_at(standing.position);
        }
      } else {
        play.backend = "approximate";
        go_on_in_rounds(slot, now - play.since);
      }
    }
  }

  void go_on_in_rounds(std::size_t slot, double elapsed) {
    Play& play = plays_[slot];
    const std::vector<CollapsedPhase>& phases = play.known->plan->phases;
    for (; play.phase < phases.size(); ++play.phase, play.round = 0) {
      const double round_s = phases[play.phase].round_s(play.element_bytes);
      const std::int64_t left = phases[play.phase].rounds - play.round;
      const double through = round_s > 0.0 ? elapsed / round_s : static_cast<double>(left);
      const std::int64_t done = through >= static_cast<double>(left) ? left : static_cast<std::int64_t>(through);
      carry(play, play.phase, done);
      elapsed -= static_cast<double>(done) * round_s;
      play.round += done;
      if (play.round < phases[play.phase].rounds) break;
    }
    if (play.phase == phases.size()) {  // rounding: it ends at this instant
      end_at(slot, core_.now().value);
      return;
    }
    start_round(slot, std::max(0.0, elapsed));
  }

  // The classes of the present round as bundles, `elapsed` seconds into it.
  void start_round(std::size_t slot, double elapsed) {
    plays_[slot].mode = Play::Mode::rounds;
    const Play& play = plays_[slot];
    const CollapsedPhase& phase = play.known->plan->phases[play.phase];
    plays_[slot].classes_left = phase.classes.size();
    std::vector<double> left;  // bytes of a transfer, by class
    for (std::size_t c = 0; c < phase.classes.size(); ++c) {
      const TransferClass& of = phase.classes[c];
      const double bytes = of.elements * play.element_bytes;
      const double sent = std::clamp((elapsed - of.delay) * of.rate, 0.0, bytes);
      play.known->carried[play.phase][c].bytes += sent;
      play.known->carried[play.phase][c].busy_s += sent / of.rate;
      left.push_back(bytes - sent);
      Bundle bundle{of.links,
                    of.usage,
                    models::Bytes{bytes - sent},
                    models::Seconds{std::max(0.0, of.delay - elapsed)},
                    of.rate,
                    of.transfers,
                    slot};
      network_.start(bundle, *this);
    }
    taken_apart_.count(play.group->group, phase, left);
  }

  void flow_ended(std::uint64_t tag) override {
    const auto slot = static_cast<std::size_t>(tag);
    Play& play = plays_[slot];
    if (--play.classes_left > 0) return;
    const std::vector<CollapsedPhase>& phases = play.known->plan->phases;
    if (++play.round == phases[play.phase].rounds) {
      ++play.phase;
      play.round = 0;
    }
    if (play.phase == phases.size()) {
      finish(slot);
    } else if (network_.active() == 0 && whole_.empty()) {
      play_whole(slot);
    } else {
      start_round(slot, 0.0);
    }
  }

  Core& core_;
  Network& network_;
  RouteCache& routes_;
  Sharing sharing_;
  Expansion expansion_;
  const bool sizes_matter_;         // a collapsed plan holds for one size only
  std::deque<Play> plays_;          // stay where they are
  std::vector<std::size_t> whole_;  // slots that are one event at present
  std::vector<std::unique_ptr<ExpandedPlay>> parked_;
  Carriage taken_apart_;  // carried by plays before they were taken apart
  NetworkUses uses_;
  std::int64_t transfers_ = 0;
};

Player::Player(Core& core, Network& network, RouteCache& routes, Expansion expansion)
    : state_(std::make_unique<State>(core, network, routes, expansion)) {}
Player::~Player() = default;

void Player::set_library(std::string_view protocol, int channels) {
  state_->library_.protocol = protocol;
  state_->library_.channels = channels;
}
int Player::add_group(models::Group group) {
  models::ensure(group.size() > 0, "a group has members");
  auto known = std::make_unique<KnownGroup>();
  known->group = std::move(group);
  state_->groups_.push_back(std::move(known));
  return static_cast<int>(state_->groups_.size()) - 1;
}
const models::Group& Player::group(int index) const { return state_->groups_[static_cast<std::size_t>(index)]->group; }

void Player::play(int group, const models::CollectiveCall& call, PlayObserver& observer, std::uint64_t tag) {
  state_->play(*state_->groups_[static_cast<std::size_t>(group)], call, observer, tag);
}
std::vector<NetworkUse> Player::report() const { return state_->report(); }
std::vector<Network::Usage> Player::usage() const { return state_->usage(); }
Ledger Player::ledger() const { return state_->ledger(); }
std::int64_t Player::transfers_started() const { return state_->transfers_started(); }

}  // namespace sim
