// SimGrid's own flows under the settings of Platform: the oracle of the tests, and small runs (cost grows with the
// flows under way).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <simgrid/s4u.hpp>
#include <utility>

#include "models/base/error.hpp"
#include "sim/engine/core.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/platform.hpp"

namespace sim {

namespace {

constexpr int no_ceiling = -1;
constexpr std::size_t parked_comms = 512;  // SimGrid still uses a comm some time after it told of its end
enum Step : std::uint64_t { begins = 0, has_ended = 1 };

struct Sent {
  std::size_t slot = 0;
  std::uint32_t route = 0;
  int from = 0, to = 0;
  double bytes = 0.0;
  double most = 0.0;         // bytes/s; 0: no ceiling
  int ceiling = no_ceiling;  // private link
  double missing = 0.0;      // bytes that an unreliable transport lost
  double sent_again = 0.0;   // bytes that a reliable one lost and sent again
  std::uint32_t number = 0;  // of the message between its hosts
  std::uint64_t tag = 0;
  FlowObserver* observer = nullptr;
  simgrid::s4u::CommPtr comm;
};

class SimgridFlows final : public Network, private EventSink {
 public:
  SimgridFlows(Core& core, RouteCache& routes, Platform& platform)
      : core_(core), routes_(routes), platform_(platform), links_(routes.fabric().links().size()),
        ledger_(routes.fabric().host_count()) {
    for (int i = platform.ceilings() - 1; i >= 0; --i) free_ceilings_.push_back(i);
    simgrid::s4u::Activity::on_completion_cb([this](const simgrid::s4u::Activity& activity) {
      const auto& comm = static_cast<const simgrid::s4u::Comm&>(activity);  // nothing else runs on this engine
      const auto slot = static_cast<std::size_t>(comm.get_data<Sent>()->slot);
      const double time = std::max(core_.now().value, simgrid::s4u::Engine::get_clock());
      core_.call_at({time}, *this, (std::uint64_t{slot} << 1) | has_ended);
    });
  }

  std::string_view name() const override { return "simgrid"; }
  bool supports_bundles() const override { return false; }
  std::int64_t active() const override { return active_; }
  std::int64_t flows_started() const override { return started_; }
  void before_start(std::function<void()> hook) override { hook_ = std::move(hook); }
  void start(const Bundle&, FlowObserver&) override { throw models::Bug("SimGrid's flows are single transfers"); }

  void start(std::span<const Flow> flows, FlowObserver& observer) override {
    if (hook_) hook_();
    for (const Flow& flow : flows) {
      if (free_.empty()) {
        free_.push_back(sent_.size());
        sent_.emplace_back();
        sent_.back().slot = free_.back();
      }
      const std::size_t slot = free_.back();
      free_.pop_back();
      Sent& sent = sent_[slot];
      sent.route = routes_.find(flow.from, flow.to);
      sent.from = flow.from;
      sent.to = flow.to;
      sent.bytes = flow.bytes.value;
      sent.tag = flow.tag;
      sent.observer = &observer;
      const MessageCost cost = routes_.cost(sent.route, flow);
      sent.most = cost.ceiling;
      sent.missing = cost.missing ? cost.lost : 0.0;
      sent.sent_again = cost.missing ? 0.0 : cost.lost;
      sent.number = cost.number;
      const double delay = cost.delay;
      const bool moves = sent.bytes > 0.0 && !routes_.entry(sent.route).links.empty();
      // SimGrid adds its constant latency itself.
      const double wait = moves ? std::max(0.0, delay - Platform::constant_latency().value) : delay;
      core_.call_at(core_.now() + models::Seconds{wait}, *this,
                    (std::uint64_t{slot} << 1) | (moves ? begins : has_ended));
      ++active_;
      ++started_;
    }
  }

  std::vector<Usage> usage() const override {
    std::vector<Usage> all;
    for (const Link& link : links_)
      all.push_back({link.bytes, link.busy_s + (link.moving > 0 ? core_.now().value - link.busy_since : 0.0), 0.0,
                     link.peak});
    return all;
  }

  Ledger ledger() const override { return ledger_; }

 private:
  struct Link {
    double bytes = 0.0, busy_s = 0.0, busy_since = 0.0;
    std::int64_t moving = 0, peak = 0;
  };

  void due(std::uint64_t argument) override {
    const auto slot = static_cast<std::size_t>(argument >> 1);
    if ((argument & 1) == begins)
      begin(sent_[slot]);
    else
      end(sent_[slot]);
  }

  void begin(Sent& sent) {
    const RouteEntry& route = routes_.entry(sent.route);
    double lone = sent.most;
    for (const topologies::LinkId id : route.links) {
      lone = std::min(lone, routes_.fabric().capacity(id).value);
      Link& link = links_[static_cast<std::size_t>(id)];
      if (link.moving++ == 0) link.busy_since = core_.now().value;
      link.peak = std::max(link.peak, link.moving);
    }
    const bool capped = sent.most > 0.0 && sent.most == lone;
    if (capped) {
      if (free_ceilings_.empty())
        throw models::Error(models::Place{}, "too many transfers with a ceiling are under way for SimGrid's own flows",
                            "set cluster.network.fidelity to fluid, which has no such limit");
      sent.ceiling = free_ceilings_.back();
      free_ceilings_.pop_back();
      platform_.apply_ceiling(sent.ceiling, {sent.most});
    }
    sent.comm = simgrid::s4u::Comm::sendto_init();
    sent.comm->set_payload_size(
        static_cast<std::uint64_t>(std::max(1.0, std::round(sent.bytes))));  // whole bytes, never none
    sent.comm->set_data(&sent);
    sent.comm->set_source(platform_.host(sent.from));
    sent.comm->set_destination(platform_.host(sent.to));
    if (capped) platform_.release_ceiling();
  }

  void end(Sent& sent) {
    if (sent.comm) {
      for (const topologies::LinkId id : routes_.entry(sent.route).links) {
        Link& link = links_[static_cast<std::size_t>(id)];
        link.bytes += sent.bytes;
        if (--link.moving == 0) link.busy_s += core_.now().value - link.busy_since;
      }
      parked_.push_back(std::move(sent.comm));
      if (parked_.size() > parked_comms) parked_.pop_front();
    }
    ledger_.ended(sent.from, sent.to, sent.bytes, sent.missing, sent.sent_again);
    if (sent.ceiling != no_ceiling) free_ceilings_.push_back(std::exchange(sent.ceiling, no_ceiling));
    sent.comm = nullptr;
    --active_;
    free_.push_back(sent.slot);
    if (sent.missing > 0.0) sent.observer->flow_lost(sent.tag, sent.number, models::Bytes{sent.missing});
    sent.observer->flow_ended(sent.tag);
  }

  Core& core_;
  RouteCache& routes_;
  Platform& platform_;
  std::function<void()> hook_;
  std::deque<Sent> sent_;  // stay where they are: SimGrid holds pointers
  std::vector<std::size_t> free_;
  std::vector<int> free_ceilings_;
  std::deque<simgrid::s4u::CommPtr> parked_;
  std::vector<Link> links_;
  Ledger ledger_;
  std::int64_t active_ = 0, started_ = 0;
};

}  // namespace

std::unique_ptr<Network> make_simgrid_flows(Core& core, RouteCache& routes, Platform& platform) {
  return std::make_unique<SimgridFlows>(core, routes, platform);
}

}  // namespace sim
