#include "sim/engine/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "models/base/error.hpp"

namespace sim {
namespace {

using topologies::LinkId;

constexpr std::size_t most_links = 100;
constexpr std::size_t most_bottlenecks = 10;
constexpr std::size_t most_drawn = 10;
constexpr std::size_t most_ranks = 1024;     // listed one by one
constexpr double equal_bytes = 1e-9;         // of all bytes of the run: sums of many flows round
constexpr double least_difference_B = 1e-3;  // of a run that sends next to nothing

const Network::Usage& of(const std::vector<Network::Usage>& usage, LinkId link) {
  return usage[static_cast<std::size_t>(link)];
}

// The first `most` links for which `more` holds against all others.
template <class More>
std::vector<LinkId> first_links(std::size_t links, std::size_t most, const More& more) {
  std::vector<LinkId> order(links);
  std::iota(order.begin(), order.end(), 0);
  const std::size_t shown = std::min(most, links);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(), more);
  order.resize(shown);
  return order;
}

LinkUse use_of(const Machine& machine, LinkId link, const Network::Usage& usage, double run_s) {
  LinkUse use;
  use.link = machine.world.fabric.link_name(link);
  use.bytes_B = usage.bytes;
  use.peak_flows = usage.peak;
  if (machine.network->supports_bundles()) use.bound_s = usage.bound_s;
  if (run_s > 0.0) {
    use.busy_fraction = usage.busy_s / run_s;
    use.utilization = usage.bytes / (machine.world.fabric.capacity(link).value * run_s);
  }
  return use;
}

bool same(const Traffic& a, const Traffic& b) {
  const auto near = [](double x, double y) {
    return std::abs(x - y) <= equal_bytes * std::max(std::abs(x), std::abs(y));
  };
  return near(a.sent_B, b.sent_B) && near(a.received_B, b.received_B) && near(a.lost_B, b.lost_B) &&
         near(a.retransmitted_B, b.retransmitted_B);
}

void add_ranks(Result& result, const std::vector<Traffic>& hosts) {
  const auto add = [&result](std::string ranks, const Traffic& traffic) {
    result.rank_bytes.push_back(
        {std::move(ranks), traffic.sent_B, traffic.received_B, traffic.lost_B, traffic.retransmitted_B});
  };
  for (std::size_t begin = 0; begin < hosts.size() && result.rank_bytes.size() < most_ranks;) {
    std::size_t end = begin + 1;
    while (end < hosts.size() && same(hosts[begin], hosts[end])) ++end;
    add(end - begin == 1 ? std::to_string(begin) : std::to_string(begin) + "-" + std::to_string(end - 1), hosts[begin]);
    begin = end;
  }
}

// Calls `unite` for a host and the vertex at which its routes begin or end: to its node's first other host, and to the
// first host of the next node.
template <class Unite>
void unite_ends(const topologies::Fabric& fabric, const std::vector<int>& node, const Unite& unite) {
  const int hosts = fabric.host_count();
  const auto node_of = [&node](int host) { return node[static_cast<std::size_t>(host)]; };
  for (int host = 0, first = 0, next = 0; host < hosts; ++host) {
    if (node_of(host) != node_of(first)) first = host;
    if (next <= host)
      for (next = host; next < hosts && node_of(next) == node_of(host);) ++next;
    for (const int other : {host == first ? host + 1 : first, next < hosts ? next : 0}) {
      if (other == host || other >= hosts) continue;
      const topologies::Route there = fabric.route(host, other), back = fabric.route(other, host);
      for (const topologies::Route* route : {&there, &back}) {
        if (route->links.empty()) continue;
        const bool out = route == &there;
        const auto first_link = static_cast<std::size_t>(route->links.front()),
                   last_link = static_cast<std::size_t>(route->links.back());
        unite(fabric.host(host), out ? fabric.links()[first_link].from : fabric.links()[last_link].to);
      }
    }
  }
}

}  // namespace

void check_conservation(const topologies::Fabric& fabric, const std::vector<int>& node,
                        const std::vector<Network::Usage>& links, const Ledger& ledger) {
  double sent = 0.0, delivered = 0.0, received = 0.0;
  for (const Traffic& host : ledger.hosts()) {
    sent += host.sent_B + host.retransmitted_B;
    delivered += host.delivered_B;
    received += host.received_B;
  }
  const double tolerance = equal_bytes * sent + least_difference_B;
  for (const Traffic& host : ledger.hosts())
    models::ensure(std::abs(host.sent_B + host.retransmitted_B - host.delivered_B - host.lost_B) <= tolerance,
                   "bytes of a rank are conserved: sent + retransmitted = received + lost");
  models::ensure(std::abs(delivered - received) <= tolerance,
                 "bytes of the run are conserved: all that arrives is received");

  // Vertices that are checked together: shapes whose routes between nodes begin at a NIC leave out the way to it.
  std::vector<topologies::VertexId> same(fabric.vertices().size());
  std::iota(same.begin(), same.end(), 0);
  const auto root = [&same](topologies::VertexId vertex) {
    while (same[static_cast<std::size_t>(vertex)] != vertex) vertex = same[static_cast<std::size_t>(vertex)];
    return vertex;
  };
  unite_ends(fabric, node, [&](topologies::VertexId a, topologies::VertexId b) {
    same[static_cast<std::size_t>(root(std::max(a, b)))] = root(std::min(a, b));
  });

  // A half-duplex link does not tell which way its bytes went.
  std::vector<double> surplus(fabric.vertices().size(), 0.0);
  std::vector<char> told(surplus.size(), 1);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const topologies::DirectedLink& link = fabric.links()[i];
    const auto from = static_cast<std::size_t>(root(link.from)), to = static_cast<std::size_t>(root(link.to));
    surplus[from] += links[i].bytes;
    surplus[to] -= links[i].bytes;
    if (fabric.reverse(static_cast<LinkId>(i)) == static_cast<LinkId>(i)) told[from] = told[to] = 0;
  }
  for (int host = 0; host < fabric.host_count(); ++host) {
    const Traffic& traffic = ledger.hosts()[static_cast<std::size_t>(host)];
    surplus[static_cast<std::size_t>(root(fabric.host(host)))] -=
        traffic.sent_B - traffic.received_B - traffic.missed_B;
  }
  for (std::size_t vertex = 0; vertex < surplus.size(); ++vertex)
    models::ensure(told[vertex] == 0 || std::abs(surplus[vertex]) <= tolerance,
                   "bytes of a link are conserved: what a vertex takes in and does not send on is received there");
}

void add_traffic(Result& result, const Machine& machine, Seconds run_time) {
  const std::vector<Network::Usage> usage = machine.player.usage();
  const auto busier = [&usage](LinkId a, LinkId b) {
    const Network::Usage &first = of(usage, a), &second = of(usage, b);
    if (first.busy_s != second.busy_s) return first.busy_s > second.busy_s;
    return first.bytes != second.bytes ? first.bytes > second.bytes : a < b;
  };
  std::vector<LinkId> drawn;
  for (const LinkId link : first_links(usage.size(), most_links, busier)) {
    if (of(usage, link).bytes <= 0.0) continue;
    result.links.push_back(use_of(machine, link, of(usage, link), run_time.value));
    if (drawn.size() < most_drawn) drawn.push_back(link);
  }
  if (!drawn.empty()) result.series.push_back(machine.history.series(drawn, run_time.value, usage));
  const auto worse = [&usage](LinkId a, LinkId b) {
    const Network::Usage &first = of(usage, a), &second = of(usage, b);
    if (first.bound_s != second.bound_s) return first.bound_s > second.bound_s;
    return first.bytes != second.bytes ? first.bytes > second.bytes : a < b;
  };
  for (const LinkId link : first_links(usage.size(), most_bottlenecks, worse))
    if (of(usage, link).bound_s > 0.0)
      result.bottlenecks.push_back(use_of(machine, link, of(usage, link), run_time.value));

  const Ledger ledger = machine.player.ledger();
  // Bundles and SimGrid's flows that are under way have no account of what has arrived.
  if (machine.network->active() == 0) check_conservation(machine.world.fabric, machine.world.node, usage, ledger);
  for (const Traffic& host : ledger.hosts()) {
    result.bytes.sent_B += host.sent_B;
    result.bytes.received_B += host.received_B;
    result.bytes.lost_B += host.lost_B;
    result.bytes.retransmitted_B += host.retransmitted_B;
  }
  add_ranks(result, ledger.hosts());
}

}  // namespace sim
