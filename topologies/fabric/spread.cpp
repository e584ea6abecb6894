#include "topologies/fabric/spread.hpp"

#include "models/base/params.hpp"
#include "models/base/random.hpp"

namespace topologies {

std::int64_t hashed_index(std::uint64_t seed, std::int64_t a, std::int64_t b, std::uint32_t stage, std::int64_t count) {
  models::Stream stream(seed, models::Purpose::routing, static_cast<std::uint32_t>(a), stage,
                        static_cast<std::uint32_t>(b));
  return static_cast<std::int64_t>(stream.index(static_cast<std::uint64_t>(count)));
}

std::int64_t Spread::pick(std::int64_t from, std::int64_t to, std::uint32_t stage, std::int64_t count,
                          std::int64_t fixed) const {
  return !hashed_ || count == 1 ? fixed : hashed_index(seed_, from, to, stage, count);
}

std::string Spread::key() const { return hashed_ ? " ecmp " + std::to_string(seed_) : ""; }

Spread read_routing(models::Params& params) {
  auto routing =
      params.optional_section("routing", "how pairs spread over equally short ways; default: by destination");
  if (!routing) return {};
  const std::int64_t seed =
      routing->count("ecmp", {0.0, largest_seed}, "seed of a hash of (source, destination) that picks the way");
  return params.describing() ? Spread{} : Spread(static_cast<std::uint64_t>(seed));
}

}  // namespace topologies
