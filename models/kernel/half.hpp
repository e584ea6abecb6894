#pragma once
// 32-bit floats <-> 16-bit ones, rounded to nearest, ties to even (IEEE 754). Same bits on every vector width. Spans of
// one call have equal sizes.

#include <cstdint>
#include <span>

namespace models {

// binary16: 5 bits of exponent, 10 of fraction. Above 65,519 comes infinity, below 2^-25 zero.
void to_fp16(std::span<const float> values, std::span<std::uint16_t> halves);
void from_fp16(std::span<const std::uint16_t> halves, std::span<float> values);
// bfloat16: the upper half of a float.
void to_bf16(std::span<const float> values, std::span<std::uint16_t> halves);
void from_bf16(std::span<const std::uint16_t> halves, std::span<float> values);

}  // namespace models
