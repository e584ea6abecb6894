// Every element whose magnitude reaches a fixed bound, and where it is; the rest is zero.
// Strom: Scalable distributed DNN training using commodity GPU cloud computing, Interspeech 2015 (values sent as they
// are: Dutta et al., On the discrepancy between theory and practice of compression, AAAI 2020, hard threshold).

#include <cmath>
#include <cstring>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/compression/sparse.hpp"

namespace models {
namespace {

// Wire format: how many (4 bytes), the values, their positions. |v - decode(encode(v))|^2 <= n at_least^2, whatever v.
class Threshold final : public Compressor {
 public:
  explicit Threshold(double at_least) : at_least_(static_cast<float>(at_least)) {}

  Encoded encode(std::span<const float> values, Stream) const override {
    const auto elements = static_cast<std::int64_t>(values.size());
    std::vector<std::uint32_t> positions;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::fabs(values[i]) >= at_least_) positions.push_back(static_cast<std::uint32_t>(i));
    const std::vector<float> kept = gathered(values, positions);
    const auto count = static_cast<std::uint32_t>(kept.size());
    const std::size_t head = sizeof count + 4 * kept.size();
    Encoded code{std::vector<std::byte>(head + position_bytes(elements, count)), elements};
    std::memcpy(code.bytes.data(), &count, sizeof count);
    if (count > 0) std::memcpy(code.bytes.data() + sizeof count, kept.data(), 4 * kept.size());
    write_positions(positions, elements, std::span(code.bytes).subspan(head));
    return code;
  }
  void decode(const Encoded& code, std::span<float> values) const override {
    const auto elements = static_cast<std::int64_t>(values.size());
    std::uint32_t count = 0;
    ensure(code.bytes.size() >= sizeof count, "a threshold code begins with its number of values");
    std::memcpy(&count, code.bytes.data(), sizeof count);
    const std::size_t head = sizeof count + 4 * static_cast<std::size_t>(count);
    ensure(count <= values.size() && code.bytes.size() == head + position_bytes(elements, count),
           "a threshold code has the bytes its number of values says");
    std::vector<float> kept(count);
    if (count > 0) std::memcpy(kept.data(), code.bytes.data() + sizeof count, 4 * kept.size());
    scatter(kept, read_positions(std::span(code.bytes).subspan(head), elements, count), values);
  }
  std::optional<Bytes> wire_size(std::int64_t) const override { return {}; }
  Traits traits() const override { return {Bias::biased, Summable::no, Scaling::dimension}; }
  Kernel encode_work(std::int64_t full_elements) const override {
    return {.name = "threshold encode",
            .kind = KernelKind::codec,
            .bytes = Bytes{8.0 * static_cast<double>(full_elements)}};
  }
  Kernel decode_work(std::int64_t full_elements) const override {
    return {.name = "threshold decode",
            .kind = KernelKind::codec,
            .bytes = Bytes{4.0 * static_cast<double>(full_elements)}};
  }

 private:
  float at_least_;
};

}  // namespace

CompressorMaker read_threshold(Params& params) {
  constexpr double usual = 1e-3;
  const double at_least = params.number("at_least", positive, "magnitude from which an element is sent", usual);
  return [at_least] { return std::make_unique<Threshold>(at_least); };
}

}  // namespace models
