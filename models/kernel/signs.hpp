#pragma once
// One bit per element: bit i % 8 of byte i / 8 is 1 where element i >= 0, so sign(0) = +1; unused high bits of the last
// byte are 0. `bits` holds (elements + 7) / 8 bytes. Same bits on every vector width.

#include <cstddef>
#include <span>

namespace models {

void pack_signs(std::span<const float> values, std::span<std::byte> bits);
// Packs, and leaves what the code misses: values[i] -= scale * sign(values[i]).
void pack_signs_keep_residual(std::span<float> values, float scale, std::span<std::byte> bits);
// values[i] = scale * sign i.
void unpack_signs(std::span<const std::byte> bits, float scale, std::span<float> values);
// values[i] += scale * sign i.
void add_signs(std::span<const std::byte> bits, float scale, std::span<float> values);

}  // namespace models
