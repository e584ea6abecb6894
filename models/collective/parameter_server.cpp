// All-reduce through servers: every worker pushes each shard to the server that keeps it, which adds, and pulls the
// sums. Li et al., Scaling distributed machine learning with the parameter server, OSDI 2014. Colocated: the shards lie
// on members that work too, evenly spread; dedicated: the last members of the group only serve and bring nothing.

#include <string>
#include <string_view>

#include "models/base/params.hpp"
#include "models/collective/patterns.hpp"

namespace models {

namespace {

enum class Placement { colocated, dedicated };
constexpr std::string_view placement_names[] = {"colocated", "dedicated"};

struct Servers {
  std::int64_t members, shards, workers;
  Placement placement;
  int of(std::int64_t shard) const {
    return static_cast<int>(placement == Placement::dedicated ? workers + shard : shard * members / shards);
  }
};

Phase between(const Servers& servers, std::int64_t elements, bool push) {
  return {1,
          pattern(push ? PatternFamily::shards_push : PatternFamily::shards_pull,
                  {servers.shards, static_cast<std::int64_t>(servers.placement)}),
          [servers, elements, push](std::int64_t, std::vector<Transfer>& out) {
            for (std::int64_t s = 0; s < servers.shards; ++s)
              for (std::int64_t shift = 0; shift < servers.workers; ++shift) {
                const int server = servers.of(s), worker = static_cast<int>((s + shift) % servers.workers);
                if (worker == server) continue;
                out.push_back({push ? worker : server, push ? server : worker, slice(elements, servers.shards, s),
                               push ? Combine::add : Combine::copy});
              }
          },
          {}};
}

Schedule schedule(const Group& group, const Demand& demand, std::int64_t asked, Placement placement) {
  ensure(demand.kind == CollectiveKind::all_reduce, "parameter_server is an all-reduce");
  const std::int64_t n = group.size();
  if (n < 2 || demand.elements == 0) return {};
  const std::int64_t shards = asked > 0 ? asked : placement == Placement::dedicated ? 1 : n;
  if (shards > n - (placement == Placement::dedicated ? 1 : 0))
    throw Error(Place{},
                "parameter_server has " + std::to_string(shards) + " servers, but the group has " + std::to_string(n) +
                    " members" + (placement == Placement::dedicated ? ", one of which must work" : ""),
                "give fewer servers, or more ranks");
  const Servers servers{n, shards, placement == Placement::dedicated ? n - shards : n, placement};
  return {between(servers, demand.elements, true), between(servers, demand.elements, false)};
}

}  // namespace

CollectiveAlgorithm read_parameter_server(Params& params) {
  constexpr double most_servers = 1e6;
  const std::int64_t servers = params.count(
      "servers", {0.0, most_servers}, "shards, one a server; 0: one on every member (dedicated: one)", std::int64_t{0});
  const auto placement =
      static_cast<Placement>(params.choice("placement", placement_names, "whether servers work too", 0));
  return {{CollectiveKind::all_reduce}, [servers, placement](const Group& group, const Demand& demand) {
            return schedule(group, demand, servers, placement);
          }};
}

}  // namespace models
