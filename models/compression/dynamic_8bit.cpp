// A byte per element as a small float: sign, a decade counted in leading zeros, a linear fraction in the bits left.
// Dettmers: 8-bit approximations for parallelism in deep learning, ICLR 2016, section 3.2 (dynamic tree); values are
// shares of the largest magnitude.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/compressor.hpp"
#include "models/kernel/codes.hpp"

namespace models {
namespace {

// Codes 1 to 127: E leading zeros of seven bits, a one, and f = 6 - E bits that choose one of 2^f equal parts of
// [0.1, 1), times 10^-E; the middle of the part stands for it. Code 0 is zero, code 127 one.
struct Book {
  std::array<float, 128> share{};
  std::array<float, 128> upper{};  // code c is nearest below upper[c]
  std::array<std::uint8_t, 4096>
      begin_at{};  // by the top 12 bits below the sign of a share: a code not above the nearest

  Book() {
    float decade = 1.0f;
    for (int zeros = 0; zeros < 7; ++zeros, decade *= 0.1f) {
      const int parts = 1 << (6 - zeros);
      for (int part = 0; part < parts; ++part)
        share[static_cast<std::size_t>(parts + part)] =
            decade * (0.1f + 0.9f * (static_cast<float>(part) + 0.5f) / static_cast<float>(parts));
    }
    share[127] = 1.0f;  // Differs from the paper: the largest element is kept as it is
    for (std::size_t c = 0; c + 1 < upper.size(); ++c) upper[c] = 0.5f * (share[c] + share[c + 1]);
    upper[127] = 2.0f;
    for (std::size_t key = 0; key < begin_at.size(); ++key) {
      const std::uint32_t bits = static_cast<std::uint32_t>(key) << key_shift;
      float least = 0.0f;
      std::memcpy(&least, &bits, sizeof least);
      begin_at[key] = code_from(0, std::isfinite(least) ? std::min(least, 1.0f) : 1.0f);
    }
  }
  std::uint8_t code_from(std::size_t first, float magnitude) const {
    while (first < 127 && magnitude >= upper[first]) ++first;
    return static_cast<std::uint8_t>(first);
  }
  std::uint8_t nearest(float magnitude) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &magnitude, sizeof bits);
    return code_from(begin_at[(bits >> key_shift) & 0xFFFu], magnitude);
  }
  static constexpr int key_shift = 19;
};

const Book& book() {
  static const Book made;
  return made;
}

// Wire format: max |v|, then one byte per element: sign in bit 7.
class Dynamic8bit final : public Compressor {
 public:
  Encoded encode(std::span<const float> values, Stream) const override {
    Encoded code{std::vector<std::byte>(wire_bytes(values.size())), static_cast<std::int64_t>(values.size())};
    if (values.empty()) return code;
    const float scale = largest_magnitude(values);
    std::memcpy(code.bytes.data(), &scale, header);
    const float factor = scale > 0.0f ? 1.0f / scale : 0.0f;
    const Book& levels = book();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const unsigned sign = std::signbit(values[i]) ? 0x80u : 0u;
      code.bytes[header + i] = static_cast<std::byte>(sign | levels.nearest(std::fabs(values[i]) * factor));
    }
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == wire_bytes(values.size()), "a dynamic 8-bit code has a scale and a byte per element");
    if (values.empty()) return;
    float scale = 0.0f;
    std::memcpy(&scale, code.bytes.data(), header);
    std::array<float, 256> value{};
    for (std::size_t c = 0; c < 128; ++c) {
      value[c] = book().share[c] * scale;
      value[128 + c] = -value[c];
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = value[std::to_integer<std::size_t>(code.bytes[header + i])];
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{static_cast<double>(wire_bytes(static_cast<std::size_t>(full_elements)))};
  }
  Traits traits() const override { return {Bias::biased, Summable::no, Scaling::dimension}; }
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = "dynamic_8bit encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{9.0 * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {.name = "dynamic_8bit decode",
            .kind = KernelKind::codec,
            .bytes = Bytes{5.0 * static_cast<double>(full_elements)}};
  }

 private:
  static constexpr std::size_t header = sizeof(float);
  static std::size_t wire_bytes(std::size_t elements) { return elements == 0 ? 0 : header + elements; }
};

}  // namespace

CompressorMaker read_dynamic_8bit(Params&) {
  return [] { return std::make_unique<Dynamic8bit>(); };
}

}  // namespace models
