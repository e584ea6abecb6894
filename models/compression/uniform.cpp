// Levels evenly spaced between the smallest and the largest element, rounded at random: unbiased.
// Tang, Gan, Zhang, Zhang, Liu: Communication compression for decentralized training, NeurIPS 2018 (the random
// quantisation of its experiments).

#include <cstring>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/blocks.hpp"
#include "models/compression/compressor.hpp"

namespace models {
namespace {

// Wire format: per bucket min and max, then `bits` per element. E decode = v; |v - decode| < (max - min) / (2^bits -
// 1).
class Uniform final : public Compressor {
 public:
  Uniform(int bits, Buckets buckets) : bits_(bits), buckets_(buckets) {}

  Encoded encode(std::span<const float> values, Stream stream) const override {
    const auto elements = static_cast<std::int64_t>(values.size());
    Encoded code{std::vector<std::byte>(buckets_.wire_bytes(elements, header, bits_)), elements};
    std::size_t at = 0;
    buckets_.each(values.size(), [&](std::size_t first, std::size_t count) {
      const auto bucket = values.subspan(first, count);
      const Extremes ends = extremes(bucket);
      uniforms_.resize(count);
      codes_.resize(count);
      stream.fill_uniform(uniforms_, first);
      const float range = ends.high - ends.low;
      dithered_offsets(bucket, ends.low, range > 0.0f ? static_cast<float>(levels()) / range : 0.0f, levels(),
                       uniforms_, codes_);
      std::memcpy(code.bytes.data() + at, &ends, header);
      pack_codes(codes_, bits_, std::span(code.bytes).subspan(at + header));
      at += header + packed_size(count, bits_);
    });
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    ensure(code.bytes.size() == buckets_.wire_bytes(static_cast<std::int64_t>(values.size()), header, bits_),
           "a uniform code has two ends and packed levels per bucket");
    std::size_t at = 0;
    buckets_.each(values.size(), [&](std::size_t first, std::size_t count) {
      Extremes ends;
      codes_.resize(count);
      std::memcpy(&ends, code.bytes.data() + at, header);
      unpack_codes(std::span(code.bytes).subspan(at + header), bits_, codes_);
      const float step = (ends.high - ends.low) / static_cast<float>(levels());
      const auto bucket = values.subspan(first, count);
      offset_levels(codes_, 0.0f, step, bucket);
      for (float& value : bucket) value += ends.low;
      at += header + packed_size(count, bits_);
    });
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{static_cast<double>(buckets_.wire_bytes(full_elements, header, bits_))};
  }
  Traits traits() const override {
    return {Bias::unbiased, Summable::no, buckets_.size > 0 ? Scaling::free : Scaling::dimension};
  }
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = "uniform encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{(8.0 + 0.125 * bits_) * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {.name = "uniform decode",
            .kind = KernelKind::codec,
            .bytes = Bytes{(4.0 + 0.125 * bits_) * static_cast<double>(full_elements)}};
  }

 private:
  static constexpr std::size_t header = sizeof(Extremes);
  std::uint16_t levels() const { return static_cast<std::uint16_t>((1u << bits_) - 1u); }

  int bits_;
  Buckets buckets_;
  mutable std::vector<float> uniforms_;       // scratch of one bucket
  mutable std::vector<std::uint16_t> codes_;  // likewise
};

}  // namespace

CompressorMaker read_uniform(Params& params) {
  constexpr double most_bits = 16.0, most_bucket = 1 << 30;
  const int bits = static_cast<int>(params.count("bits", {1.0, most_bits}, "bits per element", 8));
  const Buckets buckets{params.count("bucket", {0.0, most_bucket},
                                     "elements with a range of their own; 0: the whole vector, as in the paper", 0)};
  return [bits, buckets] { return std::make_unique<Uniform>(bits, buckets); };
}

}  // namespace models
