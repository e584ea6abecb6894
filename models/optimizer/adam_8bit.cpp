// Adam whose averages are kept in 8 bits: blocks of 2,048, each with its largest magnitude, dynamic codes.
// Dettmers, Lewis, Shleifer, Zettlemoyer: 8-bit optimizers via block-wise quantization, ICLR 2022, sections 2 and 3.

#include <algorithm>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/kernel/block_codes.hpp"
#include "models/optimizer/adam_options.hpp"
#include "models/optimizer/optimizer.hpp"

namespace models {
namespace {

class Adam8bit final : public Optimizer {
 public:
  Adam8bit(const AdamOptions& options, std::size_t block, std::size_t elements)
      : options_(options),
        block_(block),
        momentum_(elements, block, CodeBook::signed_dynamic()),
        variance_(elements, block, CodeBook::unsigned_dynamic()),
        first_(block),
        second_(block) {}

  // Block by block: decode, the 32-bit update, encode.
  void step(std::span<float> weights, std::span<const float> gradient, const StepInfo& info) override {
    ensure(weights.size() == momentum_.size() && gradient.size() == momentum_.size(),
           "adam_8bit got a vector of another size");
    updates_ += 1;
    const AdamStep constants = adam_constants(options_, info.learning_rate, updates_);
    for (std::size_t first = 0, b = 0; first < weights.size(); first += block_, ++b) {
      const std::size_t count = std::min(block_, weights.size() - first);
      const auto m = std::span(first_).first(count), v = std::span(second_).first(count);
      momentum_.decode(b, m);
      variance_.decode(b, v);
      adam_step(weights.subspan(first, count), m, v, gradient.subspan(first, count), constants);
      momentum_.encode(b, m);
      variance_.encode(b, v);
    }
  }
  // x and g read, x written; codes of m and v read and written.
  Kernel work(std::int64_t full_elements) const override {
    return {
        .name = "adam_8bit", .kind = KernelKind::optimizer, .bytes = Bytes{16.0 * static_cast<double>(full_elements)}};
  }
  double horizon_steps() const override { return models::horizon_steps(options_); }
  std::vector<Buffer> buffers(std::int64_t full_elements) const override {
    const auto block = static_cast<std::int64_t>(block_);
    const std::int64_t scales = (full_elements + block - 1) / block;
    return {
        {MemoryCategory::optimizer_state, Bytes{static_cast<double>(2 * full_elements + 8 * scales)}, Lifetime::run}};
  }

 private:
  AdamOptions options_;
  std::size_t block_;
  BlockCodes momentum_, variance_;
  std::vector<float> first_, second_;  // m and v of one block
  long long updates_ = 0;
};

}  // namespace

OptimizerMaker read_adam_8bit_optimizer(Params& params) {
  constexpr double least_block = 16.0, most_block = 1 << 20;
  constexpr std::int64_t usual_block = 2048;
  AdamOptions options = read_adam_options(params);
  options.bias_correction = params.flag("bias_correction", "divide m and v by 1 - beta^t", true);
  const auto block = static_cast<std::size_t>(
      params.count("block", {least_block, most_block}, "elements with a largest magnitude of their own", usual_block));
  return [options, block](std::int64_t elements) {
    return std::make_unique<Adam8bit>(options, block, static_cast<std::size_t>(elements));
  };
}

}  // namespace models
