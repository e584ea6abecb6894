#pragma once
// Compressors that store every element as a 16-bit float.

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "models/base/error.hpp"
#include "models/compression/compressor.hpp"

namespace models {

// |v - decode(encode(v))|^2 <= `unit`^2 |v|^2 for elements in the normal range.
class Cast final : public Compressor {
 public:
  using Narrow = void (*)(std::span<const float>, std::span<std::uint16_t>);
  using Widen = void (*)(std::span<const std::uint16_t>, std::span<float>);
  Cast(const char* encoder, const char* decoder, Narrow narrow, Widen widen)
      : encoder_(encoder), decoder_(decoder), narrow_(narrow), widen_(widen) {}

  Encoded encode(std::span<const float> values, Stream) const override {
    std::vector<std::uint16_t> halves(values.size());
    narrow_(values, halves);
    Encoded code{std::vector<std::byte>(2 * values.size()), static_cast<std::int64_t>(values.size())};
    if (!halves.empty()) std::memcpy(code.bytes.data(), halves.data(), code.bytes.size());
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == 2 * values.size(), "a 16-bit code has 2 bytes per element");
    std::vector<std::uint16_t> halves(values.size());
    if (!halves.empty()) std::memcpy(halves.data(), code.bytes.data(), code.bytes.size());
    widen_(halves, values);
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{2.0 * static_cast<double>(full_elements)};
  }
  Traits traits() const override { return {Bias::biased, Summable::yes, Scaling::free}; }
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = encoder_, .kind = KernelKind::codec, .bytes = Bytes{6.0 * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {.name = decoder_, .kind = KernelKind::codec, .bytes = Bytes{6.0 * static_cast<double>(full_elements)}};
  }

 private:
  const char *encoder_, *decoder_;
  Narrow narrow_;
  Widen widen_;
};

}  // namespace models
