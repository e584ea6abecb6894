#include "models/base/error.hpp"
#include "sim/engine/network/network.hpp"

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
  entries_.push_back(
      {std::move(route.links), route.start_up.value + route.latency.value, route.ceiling ? route.ceiling->value : 0.0});
  return positions_[slot];
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
