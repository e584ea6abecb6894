#pragma once
// Spread: which of several equally short ways a pair of hosts takes.

#include <cstdint>
#include <string>

namespace models {
class Params;
}

namespace topologies {

// static: each shape's own rule (a function of the destination). ecmp: a seeded hash of (source, destination), as
// switches hash a flow's addresses (RFC 2992): all messages of a pair take one way, pairs spread evenly.
class Spread {
 public:
  Spread() = default;
  explicit Spread(std::uint64_t seed) : hashed_(true), seed_(seed) {}
  bool hashed() const { return hashed_; }
  // One of 0..count-1; `stage` tells the choices along one route apart; `fixed` is the static rule's.
  std::int64_t pick(std::int64_t from, std::int64_t to, std::uint32_t stage, std::int64_t count,
                    std::int64_t fixed) const;
  std::string key() const;  // equal text, equal choices; empty: static

 private:
  bool hashed_ = false;
  std::uint64_t seed_ = 0;
};

// Key routing: {ecmp: SEED}; absent: static.
Spread read_routing(models::Params& params);

// [0, count) from a seed and three numbers: one draw of the stream `routing`.
std::int64_t hashed_index(std::uint64_t seed, std::int64_t a, std::int64_t b, std::uint32_t stage, std::int64_t count);

inline constexpr double largest_seed = 281474976710655.0;  // 2^48 - 1: models/base/random.hpp

}  // namespace topologies
