// Push and pull: each node reduces inside, its leader pushes every shard to the shard's server and pulls the sums back.
// Servers stand beside the leaders: all of them (then a card carries 2(n-1)/n of the vector each way on n nodes, if the
// shards are equal) or the first few. Jiang et al., A unified architecture for accelerating distributed DNN training in
// heterogeneous GPU/CPU clusters (BytePS), OSDI 2020, section 4.
// A vector goes in pieces: one is pushed while the one before is pulled, the next is reduced inside the nodes and the
// last spread there. Differs from the source: the stages of a bucket step together, round by round, where BytePS starts
// each 4 MB partition by itself.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "models/base/params.hpp"
#include "models/collective/leaders.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

struct Options {
  std::int64_t servers = 0;   // 0: one beside every leader
  std::int64_t pieces = 4;    // of the vector: the push of one overlaps the pull of the one before
  std::int64_t threads = 0;   // of a server; 0: the leader serves
  std::vector<double> loads;  // of the servers, relative; empty: equal shards
};

struct Plan {
  std::shared_ptr<const Leaders> all;
  std::int64_t pieces = 1, servers = 1, threads = 0, elements = 0;
  std::vector<double> before;  // share of a piece that lies on servers before this one; empty: equal shards

  ElementRange piece(std::int64_t index) const {
    if (before.empty()) return slice(elements, pieces, index);
    const std::int64_t begin = cut(index, 0);
    return {begin, cut(index, servers) - begin};
  }
  ElementRange shard(std::int64_t index, std::int64_t server) const {
    if (before.empty()) {
      const ElementRange whole = piece(index), part = slice(whole.count, servers, server);
      return {whole.begin + part.begin, part.count};
    }
    const std::int64_t begin = cut(index, server);
    return {begin, cut(index, server + 1) - begin};
  }
  // Cut out of the whole vector at once, so that what rounding adds to one piece the next makes good.
  std::int64_t cut(std::int64_t index, std::int64_t server) const {
    if (server == servers) return index + 1 == pieces ? elements : cut(index + 1, 0);
    const double share = static_cast<double>(index) + before[static_cast<std::size_t>(server)];
    return static_cast<std::int64_t>(std::floor(static_cast<double>(elements) * share / static_cast<double>(pieces)));
  }
};

// What a piece goes through, a round each; pieces follow one another a round apart.
enum Stage { reduce_inside, place, push, pull, spread_inside, stages };

// Leaders and their own members: the sum of the node to the leader, the sum of all from it.
void append_inside(const Plan& plan, Stage stage, std::int64_t piece, std::vector<Transfer>& out) {
  const ElementRange whole = plan.piece(piece);
  for (std::int64_t j = 0; j < plan.all->nodes; ++j)
    for (std::int64_t l = 1; l < plan.all->local; ++l)
      if (stage == reduce_inside)
        out.push_back({plan.all->at(j, l), plan.all->leader(j), whole, Combine::add});
      else
        out.push_back({plan.all->leader(j), plan.all->at(j, l), whole, Combine::copy});
}

// Leaders and servers. A server begins with the sum of its own node.
void append_between(const Plan& plan, Stage stage, std::int64_t piece, std::vector<Transfer>& out) {
  const Leaders& all = *plan.all;
  const std::int64_t parts = std::max<std::int64_t>(plan.threads, 1);
  for (std::int64_t s = 0; s < plan.servers; ++s) {
    const std::int64_t home = s % all.nodes;
    const ElementRange shard = plan.shard(piece, s);
    for (std::int64_t part = 0; part < parts; ++part) {
      const ElementRange cut = slice(shard.count, parts, part), range{shard.begin + cut.begin, cut.count};
      const int server = plan.threads == 0 ? all.leader(home) : all.at(home, 1 + part);
      if (stage == place) out.push_back({all.leader(home), server, range, Combine::copy});
      for (std::int64_t j = 0; j < all.nodes; ++j)
        if (stage == push && j != home)
          out.push_back({all.leader(j), server, range, Combine::add});
        else if (stage == pull && all.leader(j) != server)
          out.push_back({server, all.leader(j), range, Combine::copy});
    }
  }
}

// The stages that have a piece in this round, a bit each.
std::uint32_t busy_in(const Plan& plan, std::int64_t round) {
  std::uint32_t busy = 0;
  for (int stage = 0; stage < stages; ++stage) {
    const bool used = stage == push || stage == pull || (stage == place ? plan.threads > 0 : plan.all->local > 1);
    if (used && round >= stage && round - stage < plan.pieces) busy |= 1U << stage;
  }
  return busy;
}

Schedule schedule(const Group& group, const Demand& demand, const Options& options) {
  ensure(demand.kind == CollectiveKind::all_reduce, "byteps is an all-reduce");
  if (group.size() < 2 || demand.elements == 0) return {};
  Plan made;
  made.all = leaders_of(group);
  made.servers = options.servers == 0 ? made.all->nodes : options.servers;
  if (!options.loads.empty()) {
    made.servers = static_cast<std::int64_t>(options.loads.size());
    const double total = std::accumulate(options.loads.begin(), options.loads.end(), 0.0);
    double sum = 0.0;
    for (const double load : options.loads) {
      made.before.push_back(sum / total);
      sum += load;
    }
  }
  made.pieces = options.pieces;
  made.threads = std::min(options.threads, made.all->local - 1);
  made.elements = demand.elements;
  const auto plan = std::make_shared<const Plan>(std::move(made));

  Schedule phases;
  for (std::int64_t round = 0; round < plan->pieces + stages - 1; ++round) {
    const std::uint32_t busy = busy_in(*plan, round);
    const PatternId links = pattern(PatternFamily::byteps, {busy});
    if (busy == 0) continue;
    if (!phases.empty() && phases.back().same_links == links) {
      ++phases.back().repeats;
      continue;
    }
    phases.push_back({1,
                      links,
                      [plan, busy, round](std::int64_t later, std::vector<Transfer>& out) {
                        for (int stage = 0; stage < stages; ++stage) {
                          if ((busy & (1U << stage)) == 0) continue;
                          const bool inside = stage == reduce_inside || stage == spread_inside;
                          (inside ? append_inside : append_between)(*plan, static_cast<Stage>(stage),
                                                                    round + later - stage, out);
                        }
                      },
                      {}});
  }
  return phases;
}

}  // namespace

CollectiveAlgorithm read_byteps(Params& params) {
  constexpr double most_servers = 65536.0, most_pieces = 4096.0, most_threads = 1024.0;
  Options options;
  options.servers =
      params.count("servers", {0.0, most_servers},
                   "servers, each with one shard, beside the leaders of the first nodes; 0: one a node", 0);
  options.pieces = params.count("pieces", {1.0, most_pieces},
                                "parts of a bucket: one is pushed while the one before is pulled", options.pieces);
  options.threads =
      params.count("threads", {0.0, most_threads},
                   "of a server, each beside another member of its node than the leader; 0: the leader serves", 0);
  options.loads = params.numbers("loads", positive, "relative sizes of the shards, one per server; default: equal",
                                 std::vector<double>{});
  if (!params.describing() && !options.loads.empty() && options.servers != 0 &&
      static_cast<std::int64_t>(options.loads.size()) != options.servers)
    params.report("loads",
                  "'loads' has " + std::to_string(options.loads.size()) + " entries for " +
                      std::to_string(options.servers) + " servers",
                  "give one load per server, or leave 'servers' out");
  return {{CollectiveKind::all_reduce},
          [options](const Group& group, const Demand& demand) { return schedule(group, demand, options); }};
}

}  // namespace models
