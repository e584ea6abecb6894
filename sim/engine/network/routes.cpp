#include "sim/engine/network/network.hpp"

#include <algorithm>
#include <utility>

namespace sim {

namespace {

constexpr std::uint64_t empty_key = ~std::uint64_t{0};
constexpr std::size_t smallest_table = 64;

std::uint64_t key_of(int from, int to) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32) | static_cast<std::uint32_t>(to);
}

// Fibonacci hashing: multiplication by 2^64 / golden ratio spreads consecutive pairs over the upper bits.
std::size_t slot_of(std::uint64_t key, std::size_t mask) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & mask;
}

}  // namespace

std::uint32_t RouteCache::find(int from, int to) {
  if (entries_.size() * 2 >= keys_.size()) grow();
  const std::uint64_t key = key_of(from, to);
  const std::size_t mask = keys_.size() - 1;
  std::size_t slot = slot_of(key, mask);
  while (keys_[slot] != empty_key) {
    if (keys_[slot] == key) return positions_[slot];
    slot = (slot + 1) & mask;
  }
  topologies::Route route = fabric_.route(from, to);
  keys_[slot] = key;
  positions_[slot] = static_cast<std::uint32_t>(entries_.size());
  RouteEntry entry;
  if (!route.special.empty()) {
    auto& model = messages_[topologies::MessageModel::key(fabric_, route)];
    if (!model) model = std::make_unique<topologies::MessageModel>(fabric_, route);
    entry.messages = model.get();
  }
  entry.links = std::move(route.links);
  entry.delay = route.start_up.value + route.latency.value;
  entry.ceiling = route.ceiling ? route.ceiling->value : 0.0;
  entry.loss = route.loss;
  entries_.push_back(std::move(entry));
  return positions_[slot];
}

namespace {

MessageCost cost_of(const RouteEntry& entry, const topologies::MessageEffect& effect) {
  return {entry.delay + effect.delay.value, effect.ceiling ? effect.ceiling->value : entry.ceiling, effect.lost.value,
          effect.lost.value > 0.0 && !entry.messages->reliable(), 0};
}

// Owner: the source. Item: the destination. Step: the number of the message between the two.
models::Stream stream_of(std::uint64_t seed, models::Purpose purpose, int from, int to, std::uint32_t number) {
  return {seed, purpose, static_cast<std::uint32_t>(from), number, static_cast<std::uint32_t>(to)};
}

}  // namespace

MessageCost RouteCache::cost(std::uint32_t index, const Flow& flow) {
  RouteEntry& entry = entries_[index];
  if (!entry.messages) return {flow.delay ? flow.delay->value : entry.delay, entry.ceiling, 0.0, false, 0};
  if (flow.delay) {
    MessageCost rest = average_message(index, flow.whole.value_or(flow.bytes).value);
    rest.delay = flow.delay->value;
    rest.lost = 0.0;
    rest.missing = false;
    return rest;
  }
  const std::uint32_t number = entry.sent++;
  const auto stream = [&](models::Purpose purpose) { return stream_of(seed_, purpose, flow.from, flow.to, number); };
  MessageCost cost = cost_of(
      entry, entry.messages->effect(flow.bytes, stream(models::Purpose::jitter), stream(models::Purpose::loss)));
  cost.number = number;
  return cost;
}

MessageCost RouteCache::average_message(std::uint32_t index, double bytes) const {
  const RouteEntry& entry = entries_[index];
  if (!entry.messages) return {entry.delay, entry.ceiling, 0.0, false, 0};
  return cost_of(entry, entry.messages->average({bytes}));
}

std::vector<topologies::ByteRange> RouteCache::lost_parts(int from, int to, std::uint32_t number, double bytes) {
  const RouteEntry& entry = entries_[find(from, to)];
  if (!entry.messages || entry.messages->reliable()) return {};
  return entry.messages->lost_parts({bytes}, stream_of(seed_, models::Purpose::loss, from, to, number));
}

bool RouteCache::sizes_matter() const {
  const std::vector<topologies::LinkProperties>& all = fabric_.properties();
  return std::any_of(all.begin(), all.end(), [](const topologies::LinkProperties& link) {
    return link.loss.rate > 0.0 || link.transport.half_rate_size.value > 0.0 || !link.transport.ramp.empty();
  });
}

void RouteCache::grow() {
  const std::size_t size = keys_.empty() ? smallest_table : keys_.size() * 2;
  std::vector<std::uint64_t> keys(size, empty_key);
  std::vector<std::uint32_t> positions(size);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == empty_key) continue;
    std::size_t slot = slot_of(keys_[i], size - 1);
    while (keys[slot] != empty_key) slot = (slot + 1) & (size - 1);
    keys[slot] = keys_[i];
    positions[slot] = positions_[i];
  }
  keys_.swap(keys);
  positions_.swap(positions);
}

}  // namespace sim
