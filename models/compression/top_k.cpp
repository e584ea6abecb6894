// The largest magnitudes and where they are; the rest is zero.
// Aji and Heafield: Sparse communication for distributed gradient descent, EMNLP 2017; Stich, Cordonnier, Jaggi:
// Sparsified SGD with memory, NeurIPS 2018.

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/sparse.hpp"

namespace models {
namespace {

// Wire format: the kept values, coded, then their positions. |v - decode(encode(v))|^2 <= (1 - k/n) |v|^2 when the
// values are sent as they are (Stich 2018, definition 2.1).
class TopK final : public Compressor {
 public:
  TopK(double keep, std::unique_ptr<Compressor> values) : keep_(keep), values_(std::move(values)) {}

  Encoded encode(std::span<const float> values, Stream stream) const override {
    const auto elements = static_cast<std::int64_t>(values.size());
    const std::vector<std::uint32_t> positions = largest(values, kept_count(keep_, elements));
    Encoded code = values_->encode(gathered(values, positions), stream);
    const std::size_t size = code.bytes.size();
    code.elements = elements;
    code.bytes.resize(size + position_bytes(elements, static_cast<std::int64_t>(positions.size())));
    write_positions(positions, elements, std::span(code.bytes).subspan(size));
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    const auto elements = static_cast<std::int64_t>(values.size());
    const std::int64_t count = kept_count(keep_, elements);
    const std::size_t tail = position_bytes(elements, count);
    ensure(code.bytes.size() >= tail, "a top-k code ends with its positions");
    const auto split = static_cast<std::ptrdiff_t>(code.bytes.size() - tail);
    const Encoded head{{code.bytes.begin(), code.bytes.begin() + split}, count};
    std::vector<float> kept(static_cast<std::size_t>(count));
    values_->decode(head, kept);
    scatter(kept, read_positions(std::span(code.bytes).subspan(code.bytes.size() - tail), elements, count), values);
  }
  std::optional<Bytes> wire_size(std::int64_t full_elements) const override {
    const std::int64_t count = kept_count(keep_, full_elements);
    const std::optional<Bytes> values = values_->wire_size(count);
    if (!values) return {};
    return *values + Bytes{static_cast<double>(position_bytes(full_elements, count))};
  }
  Traits traits() const override { return {Bias::biased, Summable::no, values_->traits().scaling}; }
  // A selection reads all values three times (histogram, candidates, gathering).
  Kernel encode_work(std::int64_t full_elements) const override {
    const Kernel values = values_->encode_work(kept_count(keep_, full_elements));
    return {.name = "top_k encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{12.0 * static_cast<double>(full_elements)} + values.bytes};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    const Kernel values = values_->decode_work(kept_count(keep_, full_elements));
    return {.name = "top_k decode",
            .kind = KernelKind::codec,
            .bytes = Bytes{4.0 * static_cast<double>(full_elements)} + values.bytes};
  }

 private:
  double keep_;
  std::unique_ptr<Compressor> values_;
};

}  // namespace

CompressorMaker read_top_k(Params& params) {
  constexpr Range share{0.0, 1.0, Range::Ends::open_low};
  constexpr double usual = 0.01;
  const double keep = params.fraction("keep", share, "share of the elements that is sent, rounded up", usual);
  const CompressorMaker values =
      params.plugin("values", dense_compressors(), "how the kept values are coded", "identity");
  return [keep, values] { return std::make_unique<TopK>(keep, values()); };
}

}  // namespace models
