#pragma once
// Vectors kept in 8 bits per element: blocks with a scale each, codes of a dynamic book.
// Dettmers: 8-bit approximations for parallelism in deep learning, ICLR 2016, section 3.2 (dynamic tree); Dettmers et
// al., 8-bit optimizers via block-wise quantization, ICLR 2022, section 2.1 (blocks).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace models {

// 256 shares of a scale in rising order of their codes' magnitude. signed: bit 7 is the sign; below it E leading zeros,
// a one, and f = 6 - E bits that choose one of 2^f equal parts of [0.1, 1), times 10^-E; the middle of the part stands
// for it. unsigned: the same with one more bit. Code 0 is zero, the largest code the scale itself.
class CodeBook {
 public:
  static const CodeBook& signed_dynamic();
  static const CodeBook& unsigned_dynamic();

  // Nearest code of a share of the scale, |share| <= 1; a negative one of an unsigned book is 0. Not a number: the
  // largest.
  std::uint8_t nearest(float share) const;
  float share(std::uint8_t code) const { return share_[code]; }

 private:
  explicit CodeBook(int bits);
  std::size_t code_from(std::size_t first, float magnitude) const;

  std::size_t magnitudes_;                     // codes without a sign
  std::array<float, 256> share_{};             // by code
  std::array<float, 256> upper_{};             // code c is nearest below upper_[c]
  std::array<std::uint8_t, 4096> begin_at_{};  // by the top 12 bits below the sign: a code not above the nearest
};

class BlockCodes {
 public:
  // Zeros.
  BlockCodes(std::size_t elements, std::size_t block, const CodeBook& book);
  std::size_t size() const { return codes_.size(); }
  // `values`: all of block `block`.
  void encode(std::size_t block, std::span<const float> values);
  void decode(std::size_t block, std::span<float> values) const;

 private:
  std::size_t block_;
  const CodeBook* book_;
  std::vector<std::uint8_t> codes_;
  std::vector<float> scales_;
};

}  // namespace models
