// No compression.

#include <cstring>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/compressor.hpp"

namespace models {
namespace {

class Identity final : public Compressor {
 public:
  Encoded encode(std::span<const float> values, Stream) const override {
    Encoded code{std::vector<std::byte>(values.size_bytes()), static_cast<std::int64_t>(values.size())};
    if (!values.empty()) std::memcpy(code.bytes.data(), values.data(), values.size_bytes());
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == values.size_bytes(), "an identity code has 4 bytes per element");
    if (!values.empty()) std::memcpy(values.data(), code.bytes.data(), values.size_bytes());
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{4.0 * static_cast<double>(full_elements)};
  }
  Traits traits() const override { return {Bias::unbiased, Summable::yes, Scaling::free}; }
  Kernel encode_work(std::int64_t) const override { return {}; }
  Kernel decode_work(std::int64_t) const override { return {}; }
};

}  // namespace

CompressorMaker read_identity(Params&) {
  return [] { return std::make_unique<Identity>(); };
}

}  // namespace models
