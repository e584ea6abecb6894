// Elements drawn at random; with one seed for all workers positions need not be sent, and codes can be added.
// Stich, Cordonnier, Jaggi: Sparsified SGD with memory, NeurIPS 2018; factor n/k: Wangni, Wang, Liu, Zhang: Gradient
// sparsification, NeurIPS 2018.

#include <cstring>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/sparse.hpp"

namespace models {
namespace {

struct RandomKOptions {
  double keep = 0.01;
  bool shared_seed = true;
  bool rescale = false;
};

// Wire format: k values, then the seed of the positions (8 bytes), or the positions. E |v - decode(encode(v))|^2 =
// (1 - k/n) |v|^2 without the factor n/k, (n/k - 1) |v|^2 with it.
class RandomK final : public Compressor {
 public:
  explicit RandomK(const RandomKOptions& options) : options_(options) {}

  Encoded encode(std::span<const float> values, Stream stream) const override {
    const auto elements = static_cast<std::int64_t>(values.size());
    const std::int64_t count = kept_count(options_.keep, elements);
    std::uint64_t seed = stream.word();
    seed |= static_cast<std::uint64_t>(stream.word()) << 32;
    const std::vector<std::uint32_t> positions = positions_of(seed, elements, count);
    std::vector<float> kept = gathered(values, positions);
    if (options_.rescale)
      for (float& value : kept) value *= factor(elements, count);
    Encoded code{std::vector<std::byte>(wire_bytes(elements)), elements};
    if (kept.empty()) return code;
    const std::size_t head = 4 * kept.size();
    std::memcpy(code.bytes.data(), kept.data(), head);
    if (options_.shared_seed)
      std::memcpy(code.bytes.data() + head, &seed, sizeof seed);
    else
      write_positions(positions, elements, std::span(code.bytes).subspan(head));
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    const auto elements = static_cast<std::int64_t>(values.size());
    const std::int64_t count = kept_count(options_.keep, elements);
    ensure(code.bytes.size() == wire_bytes(elements), "a random-k code has the bytes its number of elements says");
    if (count == 0) return;
    std::vector<float> kept(static_cast<std::size_t>(count));
    const std::size_t head = 4 * kept.size();
    std::memcpy(kept.data(), code.bytes.data(), head);
    std::uint64_t seed = 0;
    if (options_.shared_seed) std::memcpy(&seed, code.bytes.data() + head, sizeof seed);
    scatter(kept,
            options_.shared_seed ? positions_of(seed, elements, count)
                                 : read_positions(std::span(code.bytes).subspan(head), elements, count),
            values);
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    return Bytes{static_cast<double>(wire_bytes(full_elements))};
  }
  Traits traits() const override {
    return {options_.rescale ? Bias::unbiased : Bias::biased, options_.shared_seed ? Summable::yes : Summable::no,
            Scaling::dimension};
  }
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = "random_k encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{8.0 * static_cast<double>(kept_count(options_.keep, full_elements))}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {
        .name = "random_k decode", .kind = KernelKind::codec, .bytes = Bytes{4.0 * static_cast<double>(full_elements)}};
  }

 private:
  static constexpr std::size_t seed_bytes = 8;
  static constexpr std::uint64_t seed_mask = (std::uint64_t{1} << 48) - 1;  // what a Stream takes

  static std::vector<std::uint32_t> positions_of(std::uint64_t seed, std::int64_t elements, std::int64_t count) {
    return drawn(elements, count, Stream(seed & seed_mask, Purpose::dither, static_cast<std::uint32_t>(seed >> 48), 0));
  }
  static float factor(std::int64_t elements, std::int64_t count) {
    return static_cast<float>(static_cast<double>(elements) / static_cast<double>(count));
  }
  std::size_t wire_bytes(std::int64_t elements) const {
    const std::int64_t count = kept_count(options_.keep, elements);
    if (count == 0) return 0;
    return 4 * static_cast<std::size_t>(count) + (options_.shared_seed ? seed_bytes : position_bytes(elements, count));
  }

  RandomKOptions options_;
};

}  // namespace

CompressorMaker read_random_k(Params& params) {
  constexpr Range share{0.0, 1.0, Range::Ends::open_low};
  RandomKOptions options;
  options.keep = params.fraction("keep", share, "share of the elements that is sent, rounded up", options.keep);
  options.shared_seed =
      params.flag("shared_seed",
                  "all workers draw the same positions and send the seed, so that codes can be added; else positions",
                  options.shared_seed);
  options.rescale =
      params.flag("rescale", "multiply by n/k: unbiased, for use without error feedback", options.rescale);
  return [options] { return std::make_unique<RandomK>(options); };
}

}  // namespace models
