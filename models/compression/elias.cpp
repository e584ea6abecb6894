#include "models/compression/elias.hpp"

#include <array>
#include <bit>

#include "models/base/error.hpp"

namespace models {

void BitWriter::bit(bool one) {
  if (used_ == 8) {
    bytes_.push_back(std::byte{0});
    used_ = 0;
  }
  if (one) bytes_.back() |= static_cast<std::byte>(1u << used_);
  ++used_;
}

// The number in binary, before it its length less one in binary, and so on down to one bit; then a zero.
void BitWriter::omega(std::uint64_t number) {
  ensure(number >= 1, "an Elias code is of a number from 1");
  std::array<std::uint64_t, 8> groups{};
  std::size_t count = 0;
  for (; number > 1; number = static_cast<std::uint64_t>(std::bit_width(number)) - 1) groups[count++] = number;
  while (count-- > 0)
    for (int b = static_cast<int>(std::bit_width(groups[count])) - 1; b >= 0; --b)
      bit(((groups[count] >> b) & 1u) != 0);
  bit(false);
}

bool BitReader::bit() {
  ensure(at_ / 8 < bytes_.size(), "a bit stream ends after its last code");
  const bool one = ((std::to_integer<unsigned>(bytes_[at_ / 8]) >> (at_ % 8)) & 1u) != 0;
  ++at_;
  return one;
}

std::uint64_t BitReader::omega() {
  std::uint64_t number = 1;
  while (bit()) {
    ensure(number < 64, "an Elias code is of a 64-bit number");
    std::uint64_t next = 1;
    for (std::uint64_t b = 0; b < number; ++b) next = (next << 1) | (bit() ? 1u : 0u);
    number = next;
  }
  return number;
}

}  // namespace models
