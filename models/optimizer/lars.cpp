// Momentum SGD whose rate is scaled layer by layer to the ratio of weights and gradient.
// You, Gitman, Ginsburg: Large batch training of convolutional networks, arXiv:1708.03888, algorithm 1.

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/kernel/descent.hpp"
#include "models/optimizer/optimizer.hpp"
#include "models/optimizer/trust_ratio.hpp"

namespace models {
namespace {

// l = eta |x| / (|g| + wd |x|) per layer, 1 when a norm is 0; v = momentum v + lr l (g + wd x); x -= v.
class Lars final : public Optimizer {
 public:
  Lars(double trust, double momentum, double weight_decay, std::size_t elements)
      : trust_(trust), momentum_(momentum), weight_decay_(weight_decay), velocity_(elements) {}

  void step(std::span<float> weights, std::span<const float> gradient, const StepInfo& info) override {
    ensure(weights.size() == velocity_.size() && gradient.size() == velocity_.size(),
           "lars got a vector of another size");
    for (const auto& [first, count] : layer_ranges(info.layout, weights.size())) {
      const auto x = weights.subspan(first, count);
      const auto g = gradient.subspan(first, count);
      const auto v = std::span(velocity_).subspan(first, count);
      const double size = norm_of(x), slope = norm_of(g);
      const double ratio = size == 0.0 || slope == 0.0 ? 1.0 : trust_ * size / (slope + weight_decay_ * size);
      const float rate = static_cast<float>(info.learning_rate * ratio);
      blend(v, g, static_cast<float>(momentum_), rate);
      if (weight_decay_ > 0.0) blend(v, x, 1.0f, rate * static_cast<float>(weight_decay_));
      blend(x, v, 1.0f, -1.0f);
    }
  }
  // Norms read x and g; x, v and g read, x and v written.
  Kernel work(std::int64_t full_elements) const override {
    return {.name = "lars", .kind = KernelKind::optimizer, .bytes = Bytes{28.0 * static_cast<double>(full_elements)}};
  }
  std::vector<Buffer> buffers(std::int64_t full_elements) const override {
    return {{MemoryCategory::optimizer_state, Bytes{4.0 * static_cast<double>(full_elements)}, Lifetime::run}};
  }

 private:
  double trust_, momentum_, weight_decay_;
  std::vector<float> velocity_;
};

}  // namespace

OptimizerMaker read_lars_optimizer(Params& params) {
  constexpr double usual_trust = 0.001, usual_momentum = 0.9;
  const double trust = params.number("trust", positive, "trust coefficient eta", usual_trust);
  const double momentum = params.number("momentum", {0.0, 1.0, Range::Ends::open_high},
                                        "share of the last update that is kept", usual_momentum);
  const double weight_decay =
      params.number("weight_decay", not_negative, "added to the gradient as weight_decay x", 0.0);
  return [=](std::int64_t elements) {
    return std::make_unique<Lars>(trust, momentum, weight_decay, static_cast<std::size_t>(elements));
  };
}

}  // namespace models
