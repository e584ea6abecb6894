#include "topologies/fabric/paths.hpp"

#include <limits>
#include <utility>

#include "topologies/fabric/fabric.hpp"

namespace topologies {

namespace {

constexpr std::int32_t none = -1;
constexpr std::int32_t unreached = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t most_kept = std::size_t{128} << 20;  // bytes of distances: all of 5,792 vertices' to each other

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// Both ways of a half-duplex cable are the one link from `from` to `to`.
template <class Visit>
void for_each_way(const Fabric& fabric, Visit visit) {
  for (LinkId id = 0; at(id) < fabric.links().size(); ++id) {
    const DirectedLink& link = fabric.links()[at(id)];
    if (link.from == link.to) continue;  // a limit leads nowhere
    visit(link.from, link.to, id);
    if (fabric.properties_of(id).duplex == Duplex::half) visit(link.to, link.from, id);
  }
}

}  // namespace

void Paths::index(const Fabric& fabric) {
  const std::size_t vertices = fabric.vertices().size();
  first_.assign(vertices + 1, 0);
  for_each_way(fabric, [this](VertexId from, VertexId, LinkId) { ++first_[at(from) + 1]; });
  for (std::size_t v = 0; v < vertices; ++v) first_[v + 1] += first_[v];
  ways_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for_each_way(fabric, [&](VertexId from, VertexId to, LinkId id) { ways_[next[at(from)]++] = {to, id}; });
  slot_.assign(vertices, none);
  for (std::size_t v = 0; v < vertices; ++v)
    if (fabric.vertices()[v].kind == Vertex::Kind::network_switch || fabric.forwarding() == Forwarding::hosts_too)
      slot_[v] = static_cast<std::int32_t>(slots_++);
}

std::int32_t Paths::distance(const Distances& to_target, std::int32_t vertex, std::int32_t target) const {
  if (vertex == target) return 0;
  return slot_[at(vertex)] == none ? unreached : to_target[at(slot_[at(vertex)])];
}

// Breadth first over the arrays that routes walk too (Boost.Graph's would be a second copy of them).
Paths::Distances Paths::searched(std::int32_t target) const {
  Distances found(slots_, unreached);
  if (slot_[at(target)] != none) found[at(slot_[at(target)])] = 0;
  std::vector<std::int32_t> layer{target}, next;
  for (std::int32_t far = 1; !layer.empty(); ++far, layer.swap(next), next.clear())
    for (const std::int32_t here : layer)
      for (const Way* way = begin(here); way != end(here); ++way) {
        const std::int32_t slot = slot_[at(way->to)];
        if (slot == none || found[at(slot)] != unreached) continue;
        found[at(slot)] = far;
        next.push_back(way->to);
      }
  return found;
}

const Paths::Distances& Paths::distances(std::int32_t target) {
  const auto known = known_.find(target);
  if (known != known_.end()) return known->second;
  if (known_.size() * slots_ * sizeof(std::int32_t) > most_kept) known_.clear();
  return known_.emplace(target, searched(target)).first->second;
}

bool Paths::append(const Fabric& fabric, const Spread& spread, std::int32_t from_host, std::int32_t to_host,
                   std::vector<std::int32_t>& links) {
  if (first_.empty()) index(fabric);
  const VertexId from = fabric.host(from_host), to = fabric.host(to_host);
  const bool one_cable = end(to) - begin(to) == 1;
  const bool behind_switch = one_cable && fabric.vertices()[at(begin(to)->to)].kind == Vertex::Kind::network_switch;
  const VertexId target = behind_switch ? begin(to)->to : to;
  const Distances& far = distances(target);
  std::vector<std::int32_t> equal;  // links of the ways that lead nearer
  std::vector<VertexId> ends;
  std::uint32_t stage = 0;
  for (VertexId here = from; here != target; ++stage) {
    std::int32_t best = unreached;
    equal.clear();
    ends.clear();
    for (const Way* way = begin(here); way != end(here); ++way) {
      const std::int32_t there = distance(far, way->to, target);
      if (there < best) {
        best = there;
        equal.clear();
        ends.clear();
      }
      if (there != best || best == unreached) continue;
      equal.push_back(way->link);
      ends.push_back(way->to);
    }
    if (equal.empty()) return false;
    const auto pick =
        static_cast<std::size_t>(spread.pick(from_host, to_host, stage, static_cast<std::int64_t>(equal.size()), 0));
    links.push_back(equal[pick]);
    here = ends[pick];
  }
  if (behind_switch) {
    const LinkId up = begin(to)->link;  // from the host to its switch
    links.push_back(fabric.reverse(up));
  }
  return true;
}

}  // namespace topologies
