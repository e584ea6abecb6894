#pragma once
// Numbers of the patterns: equal ids, equal (from, to) pairs for any two schedules of one group, whatever their sizes.

#include <cstdint>

#include "models/base/error.hpp"
#include "models/collective/collective.hpp"

namespace models {

enum class PatternFamily : std::uint32_t { ring = 1, ring_inside_nodes, ring_across_nodes, shift, everyone, tree };

inline PatternId pattern(PatternFamily family, std::int64_t member = 0) {
  constexpr std::uint32_t member_bits = 24;
  ensure(member >= 0 && member < (std::int64_t{1} << member_bits), "a pattern's number fits its field");
  return PatternId{(static_cast<std::uint32_t>(family) << member_bits) | static_cast<std::uint32_t>(member)};
}

}  // namespace models
