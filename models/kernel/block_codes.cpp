#include "models/kernel/block_codes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/kernel/codes.hpp"

namespace models {
namespace {

constexpr int key_shift = 19;  // 12 bits of a float below its sign
constexpr std::uint32_t key_mask = 0xFFFu;

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

CodeBook::CodeBook(int bits) : magnitudes_(std::size_t{1} << bits) {
  float decade = 1.0f;
  for (int zeros = 0; zeros < bits; ++zeros, decade *= 0.1f) {
    const std::size_t parts = std::size_t{1} << (bits - 1 - zeros);
    for (std::size_t part = 0; part < parts; ++part)
      share_[parts + part] = decade * (0.1f + 0.9f * (static_cast<float>(part) + 0.5f) / static_cast<float>(parts));
  }
  share_[magnitudes_ - 1] = 1.0f;
  for (std::size_t c = 0; c + 1 < magnitudes_; ++c) upper_[c] = 0.5f * (share_[c] + share_[c + 1]);
  for (std::size_t c = magnitudes_; c < share_.size(); ++c) share_[c] = -share_[c - magnitudes_];
  for (std::size_t key = 0; key < begin_at_.size(); ++key) {
    const std::uint32_t least_bits = static_cast<std::uint32_t>(key) << key_shift;
    float least = 0.0f;
    std::memcpy(&least, &least_bits, sizeof least);
    begin_at_[key] = static_cast<std::uint8_t>(code_from(0, std::isfinite(least) ? std::min(least, 1.0f) : 1.0f));
  }
}

std::size_t CodeBook::code_from(std::size_t first, float magnitude) const {
  while (first + 1 < magnitudes_ && magnitude >= upper_[first]) ++first;
  return first;
}

const CodeBook& CodeBook::signed_dynamic() {
  static const CodeBook book(7);
  return book;
}

const CodeBook& CodeBook::unsigned_dynamic() {
  static const CodeBook book(8);
  return book;
}

std::uint8_t CodeBook::nearest(float share) const {
  const std::uint32_t bits = bits_of(share);
  const bool negative = (bits >> 31) != 0;
  const bool has_sign = magnitudes_ < share_.size();
  if (negative && !has_sign) return 0;
  const std::size_t code = code_from(begin_at_[(bits >> key_shift) & key_mask], std::fabs(share));
  return static_cast<std::uint8_t>(negative ? code + magnitudes_ : code);
}

BlockCodes::BlockCodes(std::size_t elements, std::size_t block, const CodeBook& book)
    : block_(block), book_(&book), codes_(elements), scales_((elements + block - 1) / block) {}

void BlockCodes::encode(std::size_t block, std::span<const float> values) {
  const float scale = largest_magnitude(values);
  const float factor = scale > 0.0f ? 1.0f / scale : 0.0f;
  scales_[block] = scale;
  std::uint8_t* const codes = codes_.data() + block * block_;
  for (std::size_t i = 0; i < values.size(); ++i) codes[i] = book_->nearest(values[i] * factor);
}

void BlockCodes::decode(std::size_t block, std::span<float> values) const {
  const std::uint8_t* const codes = codes_.data() + block * block_;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = book_->share(codes[i]) * scales_[block];
}

}  // namespace models
