// Magnitudes rounded at random to s levels of the bucket's norm: unbiased.
// Alistarh, Grubic, Li, Tomioka, Vojnovic: QSGD, NeurIPS 2017, section 3.1; buckets and max norm: section 4 (practical
// variant); Elias coding: section 3.2.

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "models/base/block_sum.hpp"
#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/blocks.hpp"
#include "models/compression/compressor.hpp"
#include "models/compression/elias.hpp"

namespace models {
namespace {

enum class Norm : std::size_t { l2, max };
constexpr std::string_view norm_names[] = {"l2", "max"};
enum class Coding : std::size_t { fixed, elias };
constexpr std::string_view coding_names[] = {"fixed", "elias"};

struct QsgdOptions {
  std::uint16_t levels = 7;  // s
  Buckets buckets{512};
  Norm norm = Norm::l2;
  Coding coding = Coding::fixed;
};

// Wire format, fixed: per bucket its norm, then sign and level of each element in 1 + ceil(log2(s + 1)) bits. Elias:
// all norms, then one bit stream; per bucket the number of levels that are not zero, plus one, then for each the
// distance from the one before, a sign bit and the level, numbers in Elias' omega code. E decode = v; E |v - decode|^2
// <= min(b/s^2, sqrt(b)/s) |v|^2 per bucket of b elements (lemma 3.1, l2 norm).
class Qsgd final : public Compressor {
 public:
  explicit Qsgd(const QsgdOptions& options)
      : options_(options), sign_bit_(static_cast<int>(std::bit_width(static_cast<unsigned>(options.levels)))) {}

  Encoded encode(std::span<const float> values, Stream stream) const override {
    return options_.coding == Coding::fixed ? encode_fixed(values, stream) : encode_elias(values, stream);
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    if (options_.coding == Coding::fixed)
      decode_fixed(code, values);
    else
      decode_elias(code, values);
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    if (options_.coding == Coding::elias) return {};
    return Bytes{static_cast<double>(options_.buckets.wire_bytes(full_elements, header, width()))};
  }
  Traits traits() const override {
    return {Bias::unbiased, Summable::no, options_.buckets.size > 0 ? Scaling::free : Scaling::dimension};
  }
  // The norm reads the values once, the levels a second time.
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = "qsgd encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{(8.0 + 0.125 * width()) * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {.name = "qsgd decode",
            .kind = KernelKind::codec,
            .bytes = Bytes{(4.0 + 0.125 * width()) * static_cast<double>(full_elements)}};
  }

 private:
  static constexpr std::size_t header = sizeof(float);
  int width() const { return sign_bit_ + 1; }

  float norm(std::span<const float> values) const {
    return options_.norm == Norm::l2 ? static_cast<float>(std::sqrt(sum_of_squares(values)))
                                     : largest_magnitude(values);
  }
  float step(float norm) const { return norm / static_cast<float>(options_.levels); }

  // Levels of one bucket; gives its norm.
  float quantise(std::span<const float> values, std::size_t first, const Stream& stream,
                 std::span<std::uint16_t> codes) const {
    const float scale = norm(values);
    uniforms_.resize(values.size());
    stream.fill_uniform(uniforms_, first);
    const float factor = scale > 0.0f ? static_cast<float>(options_.levels) / scale : 0.0f;
    dithered_magnitudes(values, factor, options_.levels, sign_bit_, uniforms_, codes);
    return scale;
  }

  Encoded encode_fixed(std::span<const float> values, const Stream& stream) const {
    const auto elements = static_cast<std::int64_t>(values.size());
    Encoded code{std::vector<std::byte>(options_.buckets.wire_bytes(elements, header, width())), elements};
    std::size_t at = 0;
    options_.buckets.each(values.size(), [&](std::size_t first, std::size_t count) {
      codes_.resize(count);
      const float scale = quantise(values.subspan(first, count), first, stream, codes_);
      std::memcpy(code.bytes.data() + at, &scale, header);
      pack_codes(codes_, width(), std::span(code.bytes).subspan(at + header));
      at += header + packed_size(count, width());
    });
    return code;
  }
  void decode_fixed(const Encoded& code, std::span<float> values) const {
    ensure(code.bytes.size() == options_.buckets.wire_bytes(static_cast<std::int64_t>(values.size()), header, width()),
           "a QSGD code has a norm and packed levels per bucket");
    std::size_t at = 0;
    options_.buckets.each(values.size(), [&](std::size_t first, std::size_t count) {
      codes_.resize(count);
      float scale = 0.0f;
      std::memcpy(&scale, code.bytes.data() + at, header);
      unpack_codes(std::span(code.bytes).subspan(at + header), width(), codes_);
      signed_levels(codes_, step(scale), sign_bit_, values.subspan(first, count));
      at += header + packed_size(count, width());
    });
  }

  Encoded encode_elias(std::span<const float> values, const Stream& stream) const {
    std::vector<float> norms;
    BitWriter bits;
    options_.buckets.each(values.size(), [&](std::size_t first, std::size_t count) {
      codes_.resize(count);
      norms.push_back(quantise(values.subspan(first, count), first, stream, codes_));
      const unsigned mask = (1u << sign_bit_) - 1u;
      std::uint64_t present = 0;
      for (const std::uint16_t c : codes_) present += (c & mask) != 0 ? 1 : 0;
      bits.omega(present + 1);
      std::size_t last = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if ((codes_[i] & mask) == 0) continue;
        bits.omega(i + 1 - last);
        bits.bit((codes_[i] >> sign_bit_) != 0);
        bits.omega(codes_[i] & mask);
        last = i + 1;
      }
    });
    const std::vector<std::byte> stream_bytes = bits.take();
    Encoded code{std::vector<std::byte>(header * norms.size() + stream_bytes.size()),
                 static_cast<std::int64_t>(values.size())};
    if (!norms.empty()) std::memcpy(code.bytes.data(), norms.data(), header * norms.size());
    std::copy(stream_bytes.begin(), stream_bytes.end(),
              code.bytes.begin() + static_cast<std::ptrdiff_t>(header * norms.size()));
    return code;
  }
  void decode_elias(const Encoded& code, std::span<float> values) const {
    const auto buckets = static_cast<std::size_t>(options_.buckets.count(static_cast<std::int64_t>(values.size())));
    ensure(code.bytes.size() >= header * buckets, "an Elias-coded QSGD vector begins with its norms");
    BitReader bits(std::span(code.bytes).subspan(header * buckets));
    std::size_t bucket = 0;
    options_.buckets.each(values.size(), [&](std::size_t first, std::size_t count) {
      codes_.assign(count, 0);
      float scale = 0.0f;
      std::memcpy(&scale, code.bytes.data() + header * bucket++, header);
      std::size_t at = 0;
      for (std::uint64_t left = bits.omega() - 1; left > 0; --left) {
        at += bits.omega();
        ensure(at <= count, "an Elias-coded level lies inside its bucket");
        const unsigned sign = bits.bit() ? 1u << sign_bit_ : 0u;
        codes_[at - 1] = static_cast<std::uint16_t>(sign | static_cast<unsigned>(bits.omega()));
      }
      signed_levels(codes_, step(scale), sign_bit_, values.subspan(first, count));
    });
  }

  QsgdOptions options_;
  int sign_bit_;
  mutable std::vector<float> uniforms_;       // scratch of one bucket
  mutable std::vector<std::uint16_t> codes_;  // likewise
};

}  // namespace

CompressorMaker read_qsgd(Params& params) {
  constexpr double most_levels = 32767.0, most_bucket = 1 << 30;
  QsgdOptions options;
  options.levels = static_cast<std::uint16_t>(
      params.count("levels", {1.0, most_levels}, "levels above zero (s); 7 with the sign is 4 bits", options.levels));
  options.buckets.size = params.count("bucket", {0.0, most_bucket},
                                      "elements with a norm of their own; 0: the whole vector", options.buckets.size);
  options.norm = static_cast<Norm>(params.choice("norm", norm_names, "what the levels are shares of", 0));
  options.coding = static_cast<Coding>(params.choice(
      "coding", coding_names, "fixed: equal bits for all; elias: positions and levels in a code for small numbers", 0));
  return [options] { return std::make_unique<Qsgd>(options); };
}

}  // namespace models
