// Fluid: flows share links max-min fairly; rates change only when a flow begins or ends in their connected component.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "models/base/error.hpp"
#include "sim/engine/core.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/network/sharing.hpp"

namespace sim {

namespace {

using topologies::LinkId;

constexpr double never = std::numeric_limits<double>::infinity();
// Ends closer than 16 units in the last place of the clock are one instant: they differ by rounding only.
constexpr double same_instant = 16.0 * std::numeric_limits<double>::epsilon();
constexpr std::size_t smallest_heap = 1024;

enum class Stage : std::uint8_t { unused, delayed, moving };

struct FlowState {
  Sharer sharer;
  double bytes = 0.0, remaining = 0.0, rate = 0.0;
  double updated = 0.0;     // when `remaining` held
  std::uint64_t order = 0;  // of starting
  std::uint64_t tag = 0;
  int from = 0, to = 0;  // hosts; of a single transfer
  FlowObserver* observer = nullptr;
  double missing = 0.0;          // bytes that an unreliable transport lost
  double sent_again = 0.0;       // bytes that a reliable one lost and sent again
  std::uint32_t number = 0;      // of the message between its hosts
  std::uint32_t generation = 0;  // of the slot
  std::uint32_t version = 0;     // of the rate: an entry of the heap with another one is stale
  std::uint32_t seen = 0;        // epoch of the last component search
  std::int32_t bundle = -1;
  Stage stage = Stage::unused;
};

struct LinkState {
  struct Member {
    std::uint32_t flow, generation;
  };
  std::vector<Member> members;  // ended flows leave at the next search
  double bytes = 0.0, busy_s = 0.0, busy_since = 0.0;
  double bound_s = 0.0, bound_since = 0.0;
  std::int64_t moving = 0, peak = 0;  // transfers
  bool bound = false;                 // at present: it is full
  std::uint32_t seen = 0;
};

// A flow's next step: its delay is over, or its last byte arrives.
struct Step {
  double time;
  std::uint64_t order;
  std::uint32_t flow, version;
  bool operator>(const Step& other) const { return time != other.time ? time > other.time : order > other.order; }
};

struct Told {
  FlowObserver* observer;
  std::uint64_t tag;
  double missing;
  std::uint32_t number;
};

class Fluid final : public Network, private EventSource {
 public:
  Fluid(Core& core, RouteCache& routes)
      : core_(core), routes_(routes), sharing_(routes.fabric()), links_(routes.fabric().links().size()),
        ledger_(routes.fabric().host_count()) {
    core_.add_source(*this);
  }

  std::string_view name() const override { return "fluid"; }
  bool supports_bundles() const override { return true; }
  std::int64_t active() const override { return active_; }
  std::int64_t flows_started() const override { return started_; }
  void before_start(std::function<void()> hook) override { hook_ = std::move(hook); }

  void start(std::span<const Flow> flows, FlowObserver& observer) override {
    if (hook_) hook_();
    for (const Flow& flow : flows) {
      const std::uint32_t found = routes_.find(flow.from, flow.to);
      const MessageCost cost = routes_.cost(found, flow);
      const RouteEntry& route = routes_.entry(found);
      const std::uint32_t index = new_flow(observer, flow.tag, flow.bytes.value);
      flows_[index].sharer = {route.links.data(), nullptr, static_cast<std::uint32_t>(route.links.size()),
                              cost.ceiling};
      if (cost.missing)
        flows_[index].missing = cost.lost;
      else
        flows_[index].sent_again = cost.lost;
      flows_[index].from = flow.from;
      flows_[index].to = flow.to;
      flows_[index].number = cost.number;
      schedule(index, core_.now().value + cost.delay);
    }
    started_ += static_cast<std::int64_t>(flows.size());
  }

  void start(const Bundle& bundle, FlowObserver& observer) override {
    models::ensure(!bundle.links.empty(), "a bundle crosses links");
    if (hook_) hook_();
    const std::uint32_t index = new_flow(observer, bundle.tag, bundle.bytes.value);
    std::size_t place = 0;
    while (place < bundles_.size() && !bundles_[place].links.empty()) ++place;
    if (place == bundles_.size()) bundles_.emplace_back();
    bundles_[place] = bundle;
    const Bundle& kept = bundles_[place];
    flows_[index].bundle = static_cast<std::int32_t>(place);
    flows_[index].sharer = {kept.links.data(), kept.usage.data(), static_cast<std::uint32_t>(kept.links.size()),
                            kept.ceiling};
    schedule(index, core_.now().value + bundle.delay.value);
    started_ += bundle.transfers;
  }

  std::vector<Usage> usage() const override {
    std::vector<Usage> all(links_.size());
    const double now = core_.now().value;
    for (std::size_t i = 0; i < links_.size(); ++i)
      all[i] = {links_[i].bytes, links_[i].busy_s + (links_[i].moving > 0 ? now - links_[i].busy_since : 0.0),
                links_[i].bound_s + (links_[i].bound ? now - links_[i].bound_since : 0.0), links_[i].peak};
    for (const FlowState& flow : flows_) {
      if (flow.stage != Stage::moving) continue;
      const double carried = flow.bytes - flow.remaining + flow.rate * (now - flow.updated);
      for (std::uint32_t l = 0; l < flow.sharer.link_count; ++l)
        all[static_cast<std::size_t>(flow.sharer.links[l])].bytes += carried * usage_of(flow, l);
    }
    return all;
  }

  Ledger ledger() const override {
    Ledger all = ledger_;
    for (const FlowState& flow : flows_)
      if (flow.stage == Stage::moving && flow.bundle < 0 && flow.rate > 0.0)
        all.delivered(flow.from, flow.to, flow.bytes - flow.remaining + flow.rate * (core_.now().value - flow.updated));
    return all;
  }

 private:
  static std::int64_t transfers_of(const FlowState& flow, std::uint32_t l) {
    return flow.sharer.usage == nullptr ? 1 : flow.sharer.usage[l];
  }
  static double usage_of(const FlowState& flow, std::uint32_t l) {
    return flow.sharer.usage == nullptr ? 1.0 : flow.sharer.usage[l];
  }
  LinkState& link_of(const FlowState& flow, std::uint32_t l) {
    return links_[static_cast<std::size_t>(flow.sharer.links[l])];
  }
  bool stale(const Step& step) const {
    return flows_[step.flow].version != step.version || flows_[step.flow].stage == Stage::unused;
  }

  std::uint32_t new_flow(FlowObserver& observer, std::uint64_t tag, double bytes) {
    std::uint32_t index = 0;
    if (free_.empty()) {
      index = static_cast<std::uint32_t>(flows_.size());
      flows_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    FlowState& flow = flows_[index];
    flow.bytes = flow.remaining = bytes;
    flow.missing = flow.sent_again = 0.0;
    flow.rate = 0.0;
    flow.order = order_++;
    flow.tag = tag;
    flow.observer = &observer;
    ++flow.generation;
    flow.bundle = -1;
    flow.stage = Stage::delayed;
    ++active_;
    return index;
  }

  void schedule(std::uint32_t index, double time) {
    FlowState& flow = flows_[index];
    ++flow.version;
    steps_.push_back({time, flow.order, index, flow.version});
    std::push_heap(steps_.begin(), steps_.end(), std::greater<>());
  }

  void drop_stale() {
    while (!steps_.empty() && stale(steps_.front())) pop();
    if (steps_.size() < smallest_heap || steps_.size() < 4 * static_cast<std::size_t>(active_)) return;
    steps_.erase(std::remove_if(steps_.begin(), steps_.end(), [this](const Step& step) { return stale(step); }),
                 steps_.end());
    std::make_heap(steps_.begin(), steps_.end(), std::greater<>());
  }
  void pop() {
    std::pop_heap(steps_.begin(), steps_.end(), std::greater<>());
    steps_.pop_back();
  }

  double next() const override { return steps_.empty() ? never : steps_.front().time; }

  // What is due at this very instant comes first: a flow that ends now takes no share.
  void settle() override {
    drop_stale();
    if (dirty_.empty() || next() <= core_.now().value) return;
    ++epoch_;
    for (const LinkId link : dirty_)
      if (links_[static_cast<std::size_t>(link)].seen != epoch_) solve_component(link);
    dirty_.clear();
    drop_stale();
  }

  void advance() override {
    const double now = core_.now().value;
    const double window = now * same_instant;
    ended_.clear();
    while (!steps_.empty()) {
      const Step step = steps_.front();
      const bool begins = flows_[step.flow].stage == Stage::delayed;
      if (!stale(step) && step.time > (begins ? now : now + window)) break;
      pop();
      if (stale(step)) continue;
      if (begins && flows_[step.flow].bytes > 0.0) {
        begin(step.flow);
      } else {
        ended_.push_back(step.flow);
        ++flows_[step.flow].version;
      }
    }
    std::sort(ended_.begin(), ended_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return flows_[a].order < flows_[b].order; });
    told_.clear();
    for (const std::uint32_t index : ended_) end(index);
    drop_stale();
    // Observers start new flows: nothing of ours is half-changed here.
    for (std::size_t i = 0; i < told_.size(); ++i) {
      const Told told = told_[i];
      if (told.missing > 0.0) told.observer->flow_lost(told.tag, told.number, models::Bytes{told.missing});
      told.observer->flow_ended(told.tag);
    }
  }

  void begin(std::uint32_t index) {
    FlowState& flow = flows_[index];
    const double now = core_.now().value;
    flow.stage = Stage::moving;
    flow.updated = now;
    if (flow.sharer.link_count == 0) {  // between equal hosts
      flow.rate = flow.sharer.ceiling;
      schedule(index, flow.sharer.ceiling > 0.0 ? now + flow.bytes / flow.sharer.ceiling : now);
      return;
    }
    for (std::uint32_t l = 0; l < flow.sharer.link_count; ++l) {
      LinkState& link = link_of(flow, l);
      if (link.moving == 0) link.busy_since = now;
      link.moving += transfers_of(flow, l);
      link.members.push_back({index, flow.generation});
    }
    ++flow.version;
    dirty_.insert(dirty_.end(), flow.sharer.links, flow.sharer.links + flow.sharer.link_count);
  }

  void end(std::uint32_t index) {
    FlowState& flow = flows_[index];
    const double now = core_.now().value;
    if (flow.stage == Stage::moving) {
      for (std::uint32_t l = 0; l < flow.sharer.link_count; ++l) {
        LinkState& link = link_of(flow, l);
        link.bytes += flow.bytes * usage_of(flow, l);
        link.moving -= transfers_of(flow, l);
        if (link.moving == 0) link.busy_s += now - link.busy_since;
      }
      dirty_.insert(dirty_.end(), flow.sharer.links, flow.sharer.links + flow.sharer.link_count);
    }
    if (flow.bundle >= 0)
      bundles_[static_cast<std::size_t>(flow.bundle)] = {};
    else
      ledger_.ended(flow.from, flow.to, flow.bytes, flow.missing, flow.sent_again);
    flow.stage = Stage::unused;
    ++flow.generation;
    free_.push_back(index);
    --active_;
    told_.push_back({flow.observer, flow.tag, flow.missing, flow.number});
  }

  void solve_component(LinkId first) {
    members_.clear();
    visited_.clear();
    frontier_.assign(1, first);
    links_[static_cast<std::size_t>(first)].seen = epoch_;
    while (!frontier_.empty()) {
      LinkState& link = links_[static_cast<std::size_t>(frontier_.back())];
      visited_.push_back(frontier_.back());
      frontier_.pop_back();
      link.peak = std::max(link.peak, link.moving);  // of what moves between two instants
      std::size_t kept = 0;
      for (const LinkState::Member member : link.members) {
        FlowState& flow = flows_[member.flow];
        if (flow.generation != member.generation) continue;
        link.members[kept++] = member;
        if (flow.seen == epoch_) continue;
        flow.seen = epoch_;
        members_.push_back(member.flow);
        for (std::uint32_t l = 0; l < flow.sharer.link_count; ++l) {
          LinkState& other = link_of(flow, l);
          if (other.seen == epoch_) continue;
          other.seen = epoch_;
          frontier_.push_back(flow.sharer.links[l]);
        }
      }
      link.members.resize(kept);
    }
    if (members_.empty()) {
      note_bound(links_[static_cast<std::size_t>(first)], false);
      return;
    }
    sharers_.clear();
    for (const std::uint32_t index : members_) sharers_.push_back(flows_[index].sharer);
    sharing_.solve(sharers_, rates_);
    for (std::size_t i = 0; i < members_.size(); ++i) apply(members_[i], rates_[i]);
    for (const LinkId link : visited_) note_bound(links_[static_cast<std::size_t>(link)], sharing_.full(link));
  }

  void note_bound(LinkState& link, bool bound) {
    if (bound == link.bound) return;
    const double now = core_.now().value;
    link.bound = bound;
    if (bound)
      link.bound_since = now;
    else
      link.bound_s += now - link.bound_since;
  }

  void apply(std::uint32_t index, double rate) {
    FlowState& flow = flows_[index];
    if (std::abs(rate - flow.rate) <= equal_rates * flow.rate) return;  // keeps its step, and its exact end
    const double now = core_.now().value;
    flow.remaining = std::max(0.0, flow.remaining - flow.rate * (now - flow.updated));
    flow.updated = now;
    flow.rate = rate;
    schedule(index, now + flow.remaining / rate);
  }

  Core& core_;
  RouteCache& routes_;
  Sharing sharing_;
  std::function<void()> hook_;
  std::vector<LinkState> links_;
  Ledger ledger_;
  std::vector<FlowState> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<Bundle> bundles_;
  std::vector<Step> steps_;
  std::vector<LinkId> dirty_, frontier_, visited_;
  std::vector<std::uint32_t> members_, ended_;
  std::vector<Told> told_;
  std::vector<Sharer> sharers_;
  std::vector<double> rates_;
  std::uint64_t order_ = 0;
  std::int64_t active_ = 0, started_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace

std::unique_ptr<Network> make_fluid(Core& core, RouteCache& routes) { return std::make_unique<Fluid>(core, routes); }

}  // namespace sim
