// Adam's update, scaled layer by layer to the norm of the weights.
// You, Li, Reddi, Hseu, Kumar, Bhojanapalli, Song, Demmel, Keutzer, Hsieh: Large batch optimization for deep learning,
// ICLR 2020, algorithm 2.

#include <algorithm>
#include <cmath>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/optimizer/adam_options.hpp"
#include "models/optimizer/optimizer.hpp"
#include "models/optimizer/trust_ratio.hpp"

namespace models {
namespace {

struct LambOptions {
  AdamOptions adam;
  double least_ratio = 0.0, largest_ratio = 0.0;  // 0: no bound
};

// u = (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps) + wd x; x -= lr c u, c = |x| / |u| per layer, 1 when either is 0.
class Lamb final : public Optimizer {
 public:
  Lamb(const LambOptions& options, std::size_t elements)
      : options_(options), momentum_(elements), variance_(elements), update_(elements) {}

  void step(std::span<float> weights, std::span<const float> gradient, const StepInfo& info) override {
    ensure(weights.size() == momentum_.size() && gradient.size() == momentum_.size(),
           "lamb got a vector of another size");
    updates_ += 1;
    adam_direction(weights, momentum_, variance_, gradient, adam_constants(options_.adam, info.learning_rate, updates_),
                   update_);
    for (const auto& [first, count] : layer_ranges(info.layout, weights.size())) {
      const auto layer = weights.subspan(first, count);
      const auto update = std::span(update_).subspan(first, count);
      blend(layer, update, 1.0f, static_cast<float>(-info.learning_rate * ratio(norm_of(layer), norm_of(update))));
    }
  }
  // x, m, v, g read, m, v, u written; the norms are taken on the way; x and u read, x written.
  Kernel work(std::int64_t full_elements) const override {
    return {.name = "lamb", .kind = KernelKind::optimizer, .bytes = Bytes{40.0 * static_cast<double>(full_elements)}};
  }
  double horizon_steps() const override { return models::horizon_steps(options_.adam); }
  std::vector<Buffer> buffers(std::int64_t full_elements) const override {
    const double size = static_cast<double>(full_elements);
    return {{MemoryCategory::optimizer_state, Bytes{8.0 * size}, Lifetime::run},
            {MemoryCategory::workspace, Bytes{4.0 * size}, Lifetime::run}};
  }

 private:
  double ratio(double weights, double update) const {
    if (weights == 0.0 || update == 0.0) return 1.0;
    double c = weights / update;
    if (options_.least_ratio > 0.0) c = std::max(c, options_.least_ratio);
    if (options_.largest_ratio > 0.0) c = std::min(c, options_.largest_ratio);
    return c;
  }

  LambOptions options_;
  std::vector<float> momentum_, variance_, update_;  // m, v, u
  long long updates_ = 0;                            // t
};

}  // namespace

OptimizerMaker read_lamb_optimizer(Params& params) {
  LambOptions options;
  options.adam = read_adam_options(params);
  options.adam.bias_correction = params.flag("bias_correction", "divide m and v by 1 - beta^t", true);
  options.least_ratio =
      params.number("min_trust_ratio", not_negative, "lower bound of |x| / |u|; 0: none (0.01 in DeepSpeed)", 0.0);
  options.largest_ratio =
      params.number("max_trust_ratio", not_negative, "upper bound of |x| / |u|; 0: none (10 in DeepSpeed)", 0.0);
  if (options.largest_ratio > 0.0 && options.least_ratio > options.largest_ratio)
    params.report("min_trust_ratio", "the lower bound of the trust ratio exceeds the upper");
  return
      [options](std::int64_t elements) { return std::make_unique<Lamb>(options, static_cast<std::size_t>(elements)); };
}

}  // namespace models
