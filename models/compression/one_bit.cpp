// One bit per element: the sign, times one scale for the whole vector.
// Seide, Fu, Droppo, Li, Yu: 1-bit stochastic gradient descent, Interspeech 2014; scales as in DeepSpeed (l2) and in
// signSGD with error feedback (l1).

#include <cmath>
#include <cstring>

#include "models/base/block_sum.hpp"
#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/compressor.hpp"
#include "models/compression/scale.hpp"
#include "models/kernel/signs.hpp"

namespace models {

float sign_scale(SignScale kind, std::span<const float> values, std::int64_t elements) {
  if (elements == 0) return 0.0f;
  const double n = static_cast<double>(elements);
  return static_cast<float>(kind == SignScale::l2 ? std::sqrt(sum_of_squares(values) / n)
                                                  : sum_of_magnitudes(values) / n);
}

SignScale read_sign_scale(Params& params) {
  return static_cast<SignScale>(
      params.choice("scale", sign_scale_names, "scale of the signs: l2 is |v|_2 / sqrt(n), l1 is |v|_1 / n", 0));
}

namespace {

constexpr std::size_t header = sizeof(float);  // wire format: the scale, then the bits

// |v - decode(encode(v))|^2 = (2 - 2 |v|_1 / (sqrt(n) |v|_2)) |v|^2 with l2, (1 - |v|_1^2 / (n |v|_2^2)) |v|^2 with l1:
// only l1 always contracts.
class OneBit final : public Compressor {
 public:
  explicit OneBit(SignScale scale) : scale_(scale) {}

  Encoded encode(std::span<const float> values, Stream) const override {
    Encoded code{std::vector<std::byte>(header + (values.size() + 7) / 8), static_cast<std::int64_t>(values.size())};
    const float scale = sign_scale(scale_, values, code.elements);
    std::memcpy(code.bytes.data(), &scale, header);
    pack_signs(values, std::span(code.bytes).subspan(header));
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == header + (values.size() + 7) / 8, "a one-bit code has a scale and one bit per element");
    float scale = 0.0f;
    std::memcpy(&scale, code.bytes.data(), header);
    unpack_signs(std::span(code.bytes).subspan(header), scale, values);
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{static_cast<double>(static_cast<std::int64_t>(header) + (full_elements + 7) / 8)};
  }
  Traits traits() const override { return {Bias::biased, Summable::no, Scaling::free}; }
  // Two passes read the values (scale, then signs), one writes the bits.
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = "one_bit encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{8.125 * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {.name = "one_bit decode",
            .kind = KernelKind::codec,
            .bytes = Bytes{4.125 * static_cast<double>(full_elements)}};
  }

 private:
  SignScale scale_;
};

}  // namespace

CompressorMaker read_one_bit(Params& params) {
  const SignScale scale = read_sign_scale(params);
  return [scale] { return std::make_unique<OneBit>(scale); };
}

}  // namespace models
