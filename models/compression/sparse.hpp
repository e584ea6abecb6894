#pragma once
// What sparse compressors share: which elements, and how their positions cross the wire.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/compression/compressor.hpp"

namespace models {

// ceil(keep x elements); 0 of none.
std::int64_t kept_count(double keep, std::int64_t elements);

// Positions of the `count` largest magnitudes, ascending; ties go to the lower position. O(elements): a radix selection
// on the bits of the magnitudes, three passes of which the last two see candidates only.
std::vector<std::uint32_t> largest(std::span<const float> values, std::int64_t count);
// `count` of `elements` positions drawn without replacement, ascending; O(elements).
std::vector<std::uint32_t> drawn(std::int64_t elements, std::int64_t count, const Stream& stream);

// Positions on the wire: 4 bytes each, or a bitmap of all elements where that is smaller.
std::size_t position_bytes(std::int64_t elements, std::int64_t count);
void write_positions(std::span<const std::uint32_t> positions, std::int64_t elements, std::span<std::byte> out);
std::vector<std::uint32_t> read_positions(std::span<const std::byte> in, std::int64_t elements, std::int64_t count);

std::vector<float> gathered(std::span<const float> values, std::span<const std::uint32_t> positions);
// values[positions[i]] = kept[i], zero elsewhere.
void scatter(std::span<const float> kept, std::span<const std::uint32_t> positions, std::span<float> values);

// Compressors that code every element: what the values of a sparse one may be sent with.
const Table<CompressorMaker>& dense_compressors();

}  // namespace models
