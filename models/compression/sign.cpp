// One bit per element and no scale: what workers send in signSGD; the server answers with the sign of the sum.
// Bernstein, Wang, Azizzadenesheli, Anandkumar: signSGD, ICML 2018, algorithm 2 (majority vote).

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/compressor.hpp"
#include "models/kernel/signs.hpp"

namespace models {
namespace {

// Decodes to +1 and -1: no contraction of v unless its elements have a magnitude near 1. Zero, as a vote of an even
// number of workers often ends, becomes either at random: a fixed sign would push the weights one way.
class Sign final : public Compressor {
 public:
  Encoded encode(std::span<const float> values, Stream stream) const override {
    Encoded code{std::vector<std::byte>((values.size() + 7) / 8), static_cast<std::int64_t>(values.size())};
    pack_signs(values, code.bytes);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] == 0.0f && (stream.word() & 1u) != 0) code.bytes[i / 8] ^= static_cast<std::byte>(1u << (i % 8));
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == (values.size() + 7) / 8, "a sign code has one bit per element");
    unpack_signs(code.bytes, 1.0f, values);
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{static_cast<double>((full_elements + 7) / 8)};
  }
  Traits traits() const override { return {Bias::biased, Summable::no, Scaling::free}; }
  Kernel encode_work(std::int64_t full_elements) const override {
    return {
        .name = "sign encode", .kind = KernelKind::codec, .bytes = Bytes{4.125 * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {
        .name = "sign decode", .kind = KernelKind::codec, .bytes = Bytes{4.125 * static_cast<double>(full_elements)}};
  }
};

}  // namespace

CompressorMaker read_sign(Params&) {
  return [] { return std::make_unique<Sign>(); };
}

}  // namespace models
