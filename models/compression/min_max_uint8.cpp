// 255 steps between the smallest and the largest element, rounded to nearest.
// Gan et al.: BAGUA, VLDB 2021; the released MinMaxUInt8, whose counting from the upper end may clip one level at the
// lower.

#include <cmath>
#include <cstring>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/compressor.hpp"
#include "models/kernel/codes.hpp"

namespace models {
namespace {

// Wire format: min, max, then one byte per element. scale = 255 / (max - min + 1e-7); hi = rint(max scale); code =
// min(rint(v scale), hi) - (hi - 255), not below 0. |v - decode| is at most one step, half a step but for the clipping.
class MinMaxUint8 final : public Compressor {
 public:
  Encoded encode(std::span<const float> values, Stream) const override {
    Encoded code{std::vector<std::byte>(wire_bytes(values.size())), static_cast<std::int64_t>(values.size())};
    if (values.empty()) return code;
    const Extremes ends = extremes(values);
    std::vector<std::uint16_t> codes(values.size());
    nearest_offsets(values, scale(ends), top(ends), steps, codes);
    std::memcpy(code.bytes.data(), &ends, header);
    pack_codes(codes, width, std::span(code.bytes).subspan(header));
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == wire_bytes(values.size()), "a min-max code has two ends and a byte per element");
    if (values.empty()) return;
    Extremes ends;
    std::memcpy(&ends, code.bytes.data(), header);
    std::vector<std::uint16_t> codes(values.size());
    unpack_codes(std::span(code.bytes).subspan(header), width, codes);
    offset_levels(codes, top(ends) - static_cast<float>(steps), 1.0f / scale(ends), values);
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{static_cast<double>(wire_bytes(static_cast<std::size_t>(full_elements)))};
  }
  Traits traits() const override { return {Bias::biased, Summable::no, Scaling::dimension}; }
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = "min_max_uint8 encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{9.0 * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {.name = "min_max_uint8 decode",
            .kind = KernelKind::codec,
            .bytes = Bytes{5.0 * static_cast<double>(full_elements)}};
  }

 private:
  static constexpr std::size_t header = sizeof(Extremes);
  static constexpr int width = 8;
  static constexpr std::uint16_t steps = 255;
  static std::size_t wire_bytes(std::size_t elements) { return elements == 0 ? 0 : header + elements; }
  static float scale(const Extremes& ends) { return static_cast<float>(steps) / (ends.high - ends.low + 1e-7f); }
  static float top(const Extremes& ends) { return std::nearbyint(ends.high * scale(ends)); }
};

}  // namespace

CompressorMaker read_min_max_uint8(Params&) {
  return [] { return std::make_unique<MinMaxUint8>(); };
}

}  // namespace models
