#pragma once
// Elias' recursive (omega) code of whole numbers from 1: small ones take few bits. Elias, Universal codeword sets and
// representations of the integers, IEEE Trans. Inf. Theory 21(2), 1975.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace models {

class BitWriter {
 public:
  void bit(bool one);
  void omega(std::uint64_t number);  // >= 1
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  unsigned used_ = 8;  // of the last byte
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool bit();
  std::uint64_t omega();

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace models
