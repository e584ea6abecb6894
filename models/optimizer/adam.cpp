// Adam with decoupled weight decay: x -= lr (m / (sqrt(v) + eps) + wd x).
// Kingma and Ba: Adam, ICLR 2015, algorithm 1; Loshchilov and Hutter: Decoupled weight decay regularization, ICLR 2019,
// algorithm 2.

#include <cmath>

#include "models/base/elementary.hpp"
#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/optimizer/adam_options.hpp"
#include "models/optimizer/optimizer.hpp"

namespace models {

AdamOptions read_adam_options(Params& params) {
  const std::vector<double> betas =
      params.numbers("betas", {0.0, 1.0, Range::Ends::open_high}, "decay of the averages of gradient and square",
                     std::vector<double>{0.9, 0.999});
  AdamOptions options;
  options.epsilon = params.number("eps", not_negative, "added to the root of v, outside the root", 1e-8);
  options.weight_decay =
      params.number("weight_decay", not_negative, "decoupled: added to the update, not scaled by 1 / sqrt(v)", 0.0);
  if (betas.size() == 2) {
    options.beta1 = betas[0];
    options.beta2 = betas[1];
  } else if (!params.describing()) {
    params.report("betas", "two numbers are needed, for the gradient and for its square", "betas: [0.9, 0.999]");
  }
  return options;
}

AdamStep adam_constants(const AdamOptions& options, double learning_rate, long long updates) {
  AdamStep step;
  step.beta1 = static_cast<float>(options.beta1);
  step.one_minus_beta1 = static_cast<float>(1.0 - options.beta1);
  step.beta2 = static_cast<float>(options.beta2);
  step.one_minus_beta2 = static_cast<float>(1.0 - options.beta2);
  step.epsilon = static_cast<float>(options.epsilon);
  step.weight_decay = static_cast<float>(options.weight_decay);
  step.learning_rate = static_cast<float>(learning_rate);
  if (options.bias_correction) {
    step.momentum_factor = static_cast<float>(1.0 / (1.0 - whole_power(options.beta1, updates)));
    step.root_factor = static_cast<float>(1.0 / std::sqrt(1.0 - whole_power(options.beta2, updates)));
  }
  return step;
}

Kernel adam_work(long long full_elements) {
  return {.name = "adam", .kind = KernelKind::optimizer, .bytes = Bytes{28.0 * static_cast<double>(full_elements)}};
}

namespace {

class Adam final : public Optimizer {
 public:
  Adam(const AdamOptions& options, std::size_t elements)
      : options_(options), momentum_(elements), variance_(elements) {}

  void step(std::span<float> weights, std::span<const float> gradient, const StepInfo& info) override {
    ensure(weights.size() == momentum_.size() && gradient.size() == momentum_.size(),
           "adam got a vector of another size");
    updates_ += 1;
    adam_step(weights, momentum_, variance_, gradient, adam_constants(options_, info.learning_rate, updates_));
  }
  Kernel work(std::int64_t full_elements) const override { return adam_work(full_elements); }
  double horizon_steps() const override { return models::horizon_steps(options_); }
  std::vector<Buffer> buffers(std::int64_t full_elements) const override {
    return {{MemoryCategory::optimizer_state, Bytes{8.0 * static_cast<double>(full_elements)}, Lifetime::run}};
  }

 private:
  AdamOptions options_;
  std::vector<float> momentum_, variance_;  // m and v in the paper
  long long updates_ = 0;                   // t
};

}  // namespace

OptimizerMaker read_adam_optimizer(Params& params) {
  AdamOptions options = read_adam_options(params);
  options.bias_correction = params.flag("bias_correction", "divide m and v by 1 - beta^t", true);
  return
      [options](std::int64_t elements) { return std::make_unique<Adam>(options, static_cast<std::size_t>(elements)); };
}

}  // namespace models
