// Gradient descent with momentum: buffer = momentum buffer + g + wd x; x -= lr buffer.
// Polyak 1964; Sutskever, Martens, Dahl, Hinton: On the importance of initialization and momentum, ICML 2013; in
// PyTorch's form.

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/kernel/descent.hpp"
#include "models/optimizer/optimizer.hpp"

namespace models {
namespace {

enum class Momentum { heavy_ball, nesterov };

class Sgd final : public Optimizer {
 public:
  Sgd(double momentum, Momentum kind, double weight_decay, std::size_t elements)
      : momentum_(momentum), kind_(kind), weight_decay_(weight_decay), buffer_(elements) {}

  void step(std::span<float> weights, std::span<const float> gradient, const StepInfo& info) override {
    ensure(weights.size() == buffer_.size() && gradient.size() == buffer_.size(), "sgd got a vector of another size");
    const SgdStep constants{static_cast<float>(momentum_), static_cast<float>(info.learning_rate),
                            static_cast<float>(weight_decay_)};
    if (kind_ == Momentum::nesterov)
      nesterov_step(weights, buffer_, gradient, constants);
    else
      sgd_step(weights, buffer_, gradient, constants);
  }
  // Without momentum the buffer is neither kept nor read on the device: x and g read, x written.
  Kernel work(std::int64_t full_elements) const override {
    return {.name = "sgd",
            .kind = KernelKind::optimizer,
            .bytes = Bytes{(momentum_ > 0.0 ? 20.0 : 12.0) * static_cast<double>(full_elements)}};
  }
  std::vector<Buffer> buffers(std::int64_t full_elements) const override {
    if (momentum_ == 0.0) return {};
    return {{MemoryCategory::optimizer_state, Bytes{4.0 * static_cast<double>(full_elements)}, Lifetime::run}};
  }

 private:
  double momentum_;
  Momentum kind_;
  double weight_decay_;
  std::vector<float> buffer_;
};

}  // namespace

OptimizerMaker read_sgd_optimizer(Params& params) {
  const double momentum =
      params.number("momentum", {0.0, 1.0, Range::Ends::open_high}, "share of the last update that is kept", 0.0);
  const bool nesterov = params.flag("nesterov", "look ahead by one momentum step", false);
  const double weight_decay =
      params.number("weight_decay", not_negative, "added to the gradient as weight_decay x", 0.0);
  const Momentum kind = nesterov ? Momentum::nesterov : Momentum::heavy_ball;
  return [=](std::int64_t elements) {
    return std::make_unique<Sgd>(momentum, kind, weight_decay, static_cast<std::size_t>(elements));
  };
}

}  // namespace models
