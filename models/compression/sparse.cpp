#include "models/compression/sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "models/base/error.hpp"

namespace models {
namespace {

// Magnitudes of floats compare as their bits do.
std::uint32_t magnitude_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & 0x7FFFFFFFu;
}

struct Digit {
  int shift;
  std::size_t buckets;
};
constexpr std::array<Digit, 3> digits{{{20, 2048}, {10, 1024}, {0, 1024}}};  // 31 bits, from the top

// The key of the `count`-th largest, and how many keys equal to it are among the `count` largest.
struct Boundary {
  std::uint32_t key = 0;
  std::int64_t equal = 0;
};

template <class Key>
Boundary boundary_of(std::size_t elements, std::int64_t count, const Key& key) {
  Boundary found{0, count};
  std::vector<std::uint32_t> candidates;
  for (std::size_t d = 0; d < digits.size(); ++d) {
    // Four histograms in turn: equal keys one after another must not wait for each other.
    std::array<std::vector<std::int64_t>, 4> histogram;
    for (auto& one : histogram) one.assign(digits[d].buckets, 0);
    const auto digit = [d](std::uint32_t k) { return (k >> digits[d].shift) & (digits[d].buckets - 1); };
    const std::size_t size = d == 0 ? elements : candidates.size();
    for (std::size_t i = 0; i < size; ++i) ++histogram[i % 4][digit(d == 0 ? key(i) : candidates[i])];
    std::size_t bucket = digits[d].buckets;
    std::int64_t here = 0;
    do {
      --bucket;
      here = histogram[0][bucket] + histogram[1][bucket] + histogram[2][bucket] + histogram[3][bucket];
      if (here < found.equal)
        found.equal -= here;
      else
        break;
    } while (bucket > 0);
    found.key |= static_cast<std::uint32_t>(bucket) << digits[d].shift;
    if (d + 1 == digits.size()) break;
    std::vector<std::uint32_t> left;
    left.reserve(static_cast<std::size_t>(here));
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t k = d == 0 ? key(i) : candidates[i];
      if (digit(k) == bucket) left.push_back(k);
    }
    candidates = std::move(left);
  }
  return found;
}

template <class Key>
std::vector<std::uint32_t> selected(std::size_t elements, std::int64_t count, const Key& key) {
  std::vector<std::uint32_t> positions;
  if (count == 0) return positions;
  positions.reserve(static_cast<std::size_t>(count));
  Boundary boundary = boundary_of(elements, count, key);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint32_t k = key(i);
    if (k < boundary.key) continue;
    if (k == boundary.key && boundary.equal-- <= 0) continue;
    positions.push_back(static_cast<std::uint32_t>(i));
  }
  return positions;
}

}  // namespace

std::int64_t kept_count(double keep, std::int64_t elements) {
  return std::min(elements, static_cast<std::int64_t>(std::ceil(keep * static_cast<double>(elements))));
}

std::vector<std::uint32_t> largest(std::span<const float> values, std::int64_t count) {
  return selected(values.size(), count, [&values](std::size_t i) { return magnitude_bits(values[i]); });
}

std::vector<std::uint32_t> drawn(std::int64_t elements, std::int64_t count, const Stream& stream) {
  std::vector<float> keys(static_cast<std::size_t>(elements));
  stream.fill_uniform(keys);
  return largest(keys, count);
}

std::size_t position_bytes(std::int64_t elements, std::int64_t count) {
  return static_cast<std::size_t>(std::min(4 * count, (elements + 7) / 8));
}

void write_positions(std::span<const std::uint32_t> positions, std::int64_t elements, std::span<std::byte> out) {
  if (out.empty()) return;
  if (out.size() < static_cast<std::size_t>((elements + 7) / 8)) {
    std::memcpy(out.data(), positions.data(), positions.size_bytes());
    return;
  }
  std::fill(out.begin(), out.end(), std::byte{0});
  for (const std::uint32_t position : positions) out[position / 8] |= static_cast<std::byte>(1u << (position % 8));
}

std::vector<std::uint32_t> read_positions(std::span<const std::byte> in, std::int64_t elements, std::int64_t count) {
  ensure(in.size() == position_bytes(elements, count), "positions have the bytes their number says");
  std::vector<std::uint32_t> positions(static_cast<std::size_t>(count));
  if (count == 0) return positions;
  if (in.size() < static_cast<std::size_t>((elements + 7) / 8)) {
    std::memcpy(positions.data(), in.data(), in.size());
    return positions;
  }
  std::size_t found = 0;
  for (std::size_t byte = 0; byte < in.size(); ++byte)
    for (unsigned bits = std::to_integer<unsigned>(in[byte]), bit = 0; bits != 0; bits >>= 1, ++bit)
      if ((bits & 1u) != 0) {
        ensure(found < positions.size(), "a bitmap has as many bits as there are values");
        positions[found++] = static_cast<std::uint32_t>(8 * byte + bit);
      }
  ensure(found == positions.size(), "a bitmap has as many bits as there are values");
  return positions;
}

std::vector<float> gathered(std::span<const float> values, std::span<const std::uint32_t> positions) {
  std::vector<float> kept(positions.size());
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = values[positions[i]];
  return kept;
}

void scatter(std::span<const float> kept, std::span<const std::uint32_t> positions, std::span<float> values) {
  std::fill(values.begin(), values.end(), 0.0f);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ensure(positions[i] < values.size(), "a position lies inside the vector");
    values[positions[i]] = kept[i];
  }
}

}  // namespace models
