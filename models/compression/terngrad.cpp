// Zero, plus or minus the largest magnitude, drawn so that the mean is right.
// Wen, Xu, Yan, Wu, Wang, Chen, Li: TernGrad, NeurIPS 2017, equations 2 and 3; gradient clipping: equation 9.

#include <cmath>
#include <cstring>

#include "models/base/block_sum.hpp"
#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/compressor.hpp"
#include "models/kernel/codes.hpp"

namespace models {
namespace {

// Wire format: max |v|, then 2 bits per element: bit 0 not zero, bit 1 negative. Without clipping E decode = v and
// E |v - decode|^2 = max|v| |v|_1 - |v|^2.
class TernGrad final : public Compressor {
 public:
  explicit TernGrad(std::optional<double> clip) : clip_(clip) {}

  Encoded encode(std::span<const float> values, Stream stream) const override {
    Encoded code{std::vector<std::byte>(wire_bytes(values.size())), static_cast<std::int64_t>(values.size())};
    if (values.empty()) return code;
    float scale = largest_magnitude(values);
    if (clip_) scale = std::min(scale, static_cast<float>(*clip_ * deviation(values)));
    std::vector<float> uniforms(values.size());
    stream.fill_uniform(uniforms);
    std::vector<std::uint16_t> codes(values.size());
    dithered_magnitudes(values, scale > 0.0f ? 1.0f / scale : 0.0f, 1, sign_bit, uniforms, codes);
    std::memcpy(code.bytes.data(), &scale, header);
    pack_codes(codes, width, std::span(code.bytes).subspan(header));
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == wire_bytes(values.size()), "a ternary code has a scale and two bits per element");
    if (values.empty()) return;
    float scale = 0.0f;
    std::memcpy(&scale, code.bytes.data(), header);
    std::vector<std::uint16_t> codes(values.size());
    unpack_codes(std::span(code.bytes).subspan(header), width, codes);
    signed_levels(codes, scale, sign_bit, values);
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{static_cast<double>(wire_bytes(static_cast<std::size_t>(full_elements)))};
  }
  Traits traits() const override { return {clip_ ? Bias::biased : Bias::unbiased, Summable::no, Scaling::dimension}; }
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = "terngrad encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{8.25 * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {.name = "terngrad decode",
            .kind = KernelKind::codec,
            .bytes = Bytes{4.25 * static_cast<double>(full_elements)}};
  }

 private:
  static constexpr std::size_t header = sizeof(float);
  static constexpr int sign_bit = 1, width = 2;
  static std::size_t wire_bytes(std::size_t elements) {
    return elements == 0 ? 0 : header + packed_size(elements, width);
  }
  static double deviation(std::span<const float> values) {
    const double n = static_cast<double>(values.size()), mean = sum(values) / n;
    return std::sqrt(std::max(0.0, sum_of_squares(values) / n - mean * mean));
  }

  std::optional<double> clip_;  // in standard deviations
};

}  // namespace

CompressorMaker read_terngrad(Params& params) {
  std::optional<double> clip;
  if (params.has("clip"))
    clip = params.number("clip", positive, "clip magnitudes at this many standard deviations (2.5 in the paper)");
  if (params.describing()) clip.reset();
  return [clip] { return std::make_unique<TernGrad>(clip); };
}

}  // namespace models
