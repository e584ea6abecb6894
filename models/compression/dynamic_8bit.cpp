// A byte per element as a small float: sign, a decade counted in leading zeros, a linear fraction in the bits left.
// Dettmers: 8-bit approximations for parallelism in deep learning, ICLR 2016, section 3.2 (dynamic tree); values are
// shares of the largest magnitude.

#include <cstring>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/compressor.hpp"
#include "models/kernel/block_codes.hpp"
#include "models/kernel/codes.hpp"

namespace models {
namespace {

// Wire format: max |v|, then one byte per element: sign in bit 7.
class Dynamic8bit final : public Compressor {
 public:
  Encoded encode(std::span<const float> values, Stream) const override {
    Encoded code{std::vector<std::byte>(wire_bytes(values.size())), static_cast<std::int64_t>(values.size())};
    if (values.empty()) return code;
    const float scale = largest_magnitude(values);
    std::memcpy(code.bytes.data(), &scale, header);
    const float factor = scale > 0.0f ? 1.0f / scale : 0.0f;
    const CodeBook& book = CodeBook::signed_dynamic();
    for (std::size_t i = 0; i < values.size(); ++i)
      code.bytes[header + i] = static_cast<std::byte>(book.nearest(values[i] * factor));
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == wire_bytes(values.size()), "a dynamic 8-bit code has a scale and a byte per element");
    if (values.empty()) return;
    float scale = 0.0f;
    std::memcpy(&scale, code.bytes.data(), header);
    const CodeBook& book = CodeBook::signed_dynamic();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = book.share(std::to_integer<std::uint8_t>(code.bytes[header + i])) * scale;
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
