#pragma once
// Small worlds and what a network makes of flows and collectives on them.

#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/core.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/player.hpp"
#include "tests/support/in_child.hpp"
#include "topologies/fabric/world.hpp"

namespace support {

// The numbers a simulation of its own process gives.
template <class Body>
std::vector<double> numbers_in_child(const Body& body) {
  const std::string bytes = in_child([&body] {
    const std::vector<double> numbers = body();
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  });
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

inline topologies::LinkProperties cable(double bytes_per_second, double latency_s) {
  topologies::LinkProperties link;
  link.name = "cable";
  link.bandwidth = {bytes_per_second};
  link.latency = {latency_s};
  return link;
}

inline topologies::World with_hosts(int hosts) {
  topologies::World world;
  for (int i = 0; i < hosts; ++i) {
    world.fabric.add_host("h" + std::to_string(i));
    world.node.push_back(i);
    world.device.push_back(0);
  }
  world.devices.emplace_back();
  return world;
}

inline topologies::World star(int hosts, const topologies::LinkProperties& link) {
  topologies::World world = with_hosts(hosts);
  const auto hub = world.fabric.add_switch("hub");
  const auto properties = world.fabric.add_properties(link);
  std::vector<std::pair<topologies::LinkId, topologies::LinkId>> cables;
  for (int i = 0; i < hosts; ++i) {
    const auto up = world.fabric.connect(world.fabric.host(i), hub, properties);
    cables.emplace_back(up, link.duplex == topologies::Duplex::full ? up + 1 : up);
  }
  world.fabric.set_route_rule([cables](int from, int to, std::vector<topologies::LinkId>& links) {
    links.push_back(cables[static_cast<std::size_t>(from)].first);
    links.push_back(cables[static_cast<std::size_t>(to)].second);
  });
  return world;
}

// Hosts of a node hang on its switch, the switches on a core.
inline topologies::World star_of_nodes(int nodes, int local, const topologies::LinkProperties& inside,
                                       const topologies::LinkProperties& outside) {
  topologies::World world = with_hosts(nodes * local);
  const auto core = world.fabric.add_switch("core");
  const auto in = world.fabric.add_properties(inside), out = world.fabric.add_properties(outside);
  for (int n = 0; n < nodes; ++n) {
    const auto node = world.fabric.add_switch("node" + std::to_string(n));
    world.fabric.connect(node, core, out);
    for (int l = 0; l < local; ++l) {
      world.fabric.connect(world.fabric.host(n * local + l), node, in);
      world.node[static_cast<std::size_t>(n * local + l)] = n;
    }
  }
  return world;
}

// Hosts joined to each other in hosts / columns rows; one column is a ring.
inline topologies::World torus(int hosts, int columns, const topologies::LinkProperties& link) {
  topologies::World world = with_hosts(hosts);
  world.fabric.set_forwarding(topologies::Forwarding::hosts_too);
  const auto properties = world.fabric.add_properties(link);
  const auto host = [&world](int i) { return world.fabric.host(i); };
  const int rows = hosts / columns;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const int right = r * columns + (c + 1) % columns, below = ((r + 1) % rows) * columns + c;
      if (columns > 2 || (columns == 2 && c == 0)) world.fabric.connect(host(r * columns + c), host(right), properties);
      if (rows > 2 || (rows == 2 && r == 0)) world.fabric.connect(host(r * columns + c), host(below), properties);
    }
  return world;
}

inline topologies::World full(int hosts, const topologies::LinkProperties& link) {
  topologies::World world = with_hosts(hosts);
  const auto properties = world.fabric.add_properties(link);
  for (int i = 0; i < hosts; ++i)
    for (int j = 0; j < i; ++j) world.fabric.connect(world.fabric.host(i), world.fabric.host(j), properties);
  return world;
}

enum class Backend { fluid, simgrid };

// One simulation: at most one in a process.
struct Setup {
  sim::Platform platform;
  sim::Core core;
  sim::RouteCache routes;
  std::unique_ptr<sim::Network> network;
  sim::Player player;
  Setup(const topologies::World& world, Backend backend, sim::Expansion expansion = sim::Expansion::expanded)
      : platform(world, backend == Backend::simgrid ? sim::WithLinks::yes : sim::WithLinks::no,
                 backend == Backend::simgrid ? 64 : 0),
        core(platform.engine()),
        routes(world.fabric),
        network(backend == Backend::simgrid ? sim::make_simgrid_flows(core, routes, platform)
                                            : sim::make_fluid(core, routes)),
        player(core, *network, routes, expansion) {}
};

struct Timed {
  double start = 0.0;
  sim::Flow flow;
};

// Starts flows at their times; ends[i] is the end of flows[i].
class Flows final : public sim::EventSink, public sim::FlowObserver {
 public:
  Flows(Setup& setup, std::vector<Timed> flows) : ends(flows.size(), -1.0), setup_(setup), flows_(std::move(flows)) {
    for (std::size_t i = 0; i < flows_.size(); ++i) setup_.core.call_at({flows_[i].start}, *this, i);
  }
  std::vector<double> ends;
  std::vector<std::uint64_t> order;

 private:
  void due(std::uint64_t index) override {
    sim::Flow flow = flows_[index].flow;
    flow.tag = index;
    setup_.network->start(flow, *this);
  }
  void flow_ended(std::uint64_t tag) override {
    ends[tag] = setup_.core.now().value;
    order.push_back(tag);
  }
  Setup& setup_;
  std::vector<Timed> flows_;
};

inline models::Group everyone(const topologies::World& world) {
  models::Group group;
  for (int i = 0; i < world.fabric.host_count(); ++i) group.ranks.push_back(models::Rank{i});
  group.node = world.node;
  return group;
}

inline models::CollectiveCall call(models::CollectiveKind kind, const char* algorithm, double bytes) {
  models::CollectiveCall made;
  made.name = "test";
  made.kind = kind;
  made.elements = 1;
  made.element_size = {bytes};
  made.algorithm = algorithm;
  return made;
}

class Plays final : public sim::EventSink, public sim::PlayObserver {
 public:
  Plays(Setup& setup, int group, std::vector<std::pair<double, models::CollectiveCall>> calls)
      : played_(calls.size()), setup_(setup), group_(group), calls_(std::move(calls)) {
    for (std::size_t i = 0; i < calls_.size(); ++i) setup_.core.call_at({calls_[i].first}, *this, i);
  }
  std::vector<sim::Played> played_;

 private:
  void due(std::uint64_t index) override { setup_.player.play(group_, calls_[index].second, *this, index); }
  void played(std::uint64_t tag, const sim::Played& result) override { played_[tag] = result; }
  Setup& setup_;
  int group_;
  std::vector<std::pair<double, models::CollectiveCall>> calls_;
};

}  // namespace support
