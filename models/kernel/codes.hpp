#pragma once
// Quantisation levels and their packing. Same bits on every vector width. Spans of one call have equal sizes.

#include <cstddef>
#include <cstdint>
#include <span>

namespace models {

// Codes of `width` bits (1 to 16), the first in the lowest bits of the first byte.
constexpr std::size_t packed_size(std::size_t count, int width) {
  return (count * static_cast<std::size_t>(width) + 7) / 8;
}
void pack_codes(std::span<const std::uint16_t> codes, int width, std::span<std::byte> packed);
void unpack_codes(std::span<const std::byte> packed, int width, std::span<std::uint16_t> codes);

// Stochastic rounding of the magnitude: code = min(levels, floor(|v| x factor + u)), u uniform in [0, 1), with the sign
// in bit `sign_bit`. levels < 2^sign_bit.
void dithered_magnitudes(std::span<const float> values, float factor, std::uint16_t levels, int sign_bit,
                         std::span<const float> uniforms, std::span<std::uint16_t> codes);
// values[i] = sign x level x step.
void signed_levels(std::span<const std::uint16_t> codes, float step, int sign_bit, std::span<float> values);

// code = clamp(floor((v - low) x factor + u), 0, levels).
void dithered_offsets(std::span<const float> values, float low, float factor, std::uint16_t levels,
                      std::span<const float> uniforms, std::span<std::uint16_t> codes);
// code = min(rint(v x factor), high) - (high - levels), not below 0: levels counted down from `high`.
void nearest_offsets(std::span<const float> values, float factor, float high, std::uint16_t levels,
                     std::span<std::uint16_t> codes);
// values[i] = (code + low) x step.
void offset_levels(std::span<const std::uint16_t> codes, float low, float step, std::span<float> values);

struct Extremes {
  float low = 0.0f, high = 0.0f;
};
Extremes extremes(std::span<const float> values);  // of no values: 0, 0
float largest_magnitude(std::span<const float> values);

}  // namespace models
