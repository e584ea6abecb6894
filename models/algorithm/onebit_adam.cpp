// Adam while the variance settles; then the variance is frozen and only the signs of the momentum are exchanged, with
// error feedback on both sides. Tang, Gan, Awan, Rajbhandari, Li, Lian, Liu, Zhang, He: 1-bit Adam, ICML 2021,
// algorithm 1; constants and order of operations as in DeepSpeed.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/algorithm/gradient.hpp"
#include "models/base/block_sum.hpp"
#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/exchange/chunks.hpp"
#include "models/exchange/exchange.hpp"
#include "models/kernel/descent.hpp"
#include "models/optimizer/adam_options.hpp"

namespace models {
namespace {

enum class Mask { none, unused_parameters };

// Freeze at the first step at which |v| of `window` steps before is at least `ratio` of the present one (Tang et al.
// 2021, section 5.3).
struct AutomaticFreeze {
  double ratio = 0.96;
  std::int64_t window = 1000;
};

struct OnebitOptions {
  AdamOptions adam;  // bias_correction stays off: DeepSpeed's flag of that name has no effect
  CommonOptions common;
  std::int64_t freeze_step = 0;
  std::optional<AutomaticFreeze> automatic;
  Mask mask = Mask::none;
  ExchangeMaker exchange;
};

class OnebitAdam final : public Algorithm {
 public:
  OnebitAdam(const OnebitOptions& options, const Layout& layout, int ranks)
      : options_(options),
        exchange_(options.exchange({ranks, layout.numeric_parameters, layout.full_parameters, layout.chunking})),
        momentum_(static_cast<std::size_t>(layout.numeric_parameters)),
        variance_(momentum_.size()) {}

  Task run(Worker& self) override {
    const std::int64_t freeze_step = std::min(options_.freeze_step, self.steps());
    self.phase("warm-up", freeze_step);
    bool frozen = false;
    for (std::int64_t step = 0; step < self.steps(); step = self.next_step(step)) {
      if (!frozen && (step >= options_.freeze_step || variance_settled_)) {
        frozen = true;
        self.phase("compression", self.steps());
        self.note("freeze_step", static_cast<double>(step));
        prepare_mask();
      }
      self.begin_step(step);
      Task update = frozen ? compressed_step(self, step) : warm_up_step(self, step);
      co_await update;
      Operation ended = self.end_step(step);
      const Outcome outcome = co_await ended;
      if (outcome.item == 1) co_return;
    }
  }

  std::vector<Buffer> buffers(const Layout& layout, const Group& group) const override {
    std::vector<Buffer> all = exchange_->buffers(layout.full_parameters, group);
    all.push_back(
        {MemoryCategory::optimizer_state, Bytes{8.0 * static_cast<double>(layout.full_parameters)}, Lifetime::run});
    return all;
  }

 private:
  // m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; x -= lr (m / (sqrt(v) + eps) + wd x), g averaged over the workers.
  Task warm_up_step(Worker& self, std::int64_t step) {
    Task gradient = averaged_gradient(self);
    co_await gradient;
    Kernel kernel = adam_work(self.layout().full_parameters);
    kernel.fixed = options_.common.step_overhead;
    Operation updated = self.compute(kernel, work(self, [this, &self, constants = constants(self, step)] {
                                       adam_step(self.weights(), momentum_, variance_, self.gradient(), constants);
                                       watch_variance();
                                     }));
    co_await updated;
  }

  // m_i = b1 m + (1 - b1) g_i; m = compressed average of the m_i; x -= lr (m / (sqrt(v) + eps) + wd x), v frozen.
  Task compressed_step(Worker& self, std::int64_t step) {
    const AdamStep now = constants(self, step);
    const double size = static_cast<double>(self.layout().full_parameters);
    Task gradient = own_gradient(self);
    co_await gradient;
    const Kernel blend_kernel{.name = "momentum", .kind = KernelKind::optimizer, .bytes = Bytes{12.0 * size}};
    Operation blended = self.compute(blend_kernel, work(self, [this, &self, now] {
                                       blend(momentum_, self.gradient(), now.beta1, now.one_minus_beta1);
                                     }));
    co_await blended;
    Task average = exchange_->average(self, self.layout().full_parameters, momentum_);
    co_await average;
    const Kernel update_kernel{.name = "frozen adam",
                               .kind = KernelKind::optimizer,
                               .bytes = Bytes{16.0 * size},
                               .fixed = options_.common.step_overhead};
    Operation updated = self.compute(update_kernel, work(self, [this, &self, now] {
                                       apply_mask();
                                       preconditioned_step(self.weights(), momentum_, variance_, now);
                                     }));
    co_await updated;
  }

  AdamStep constants(Worker& self, std::int64_t step) const {
    return adam_constants(options_.adam, learning_rate_at(options_.common, step, self.steps()), step + 1);
  }
  static Work work(Worker& self, Work numeric) { return self.learning() ? std::move(numeric) : Work{}; }

  // |v| is in the paper's 1-norm. All workers see the same average gradient, so all decide alike.
  void watch_variance() {
    if (!options_.automatic) return;
    norms_.push_back(sum_of_magnitudes(variance_));
    const auto window = static_cast<std::size_t>(options_.automatic->window);
    if (norms_.size() > window)
      variance_settled_ = norms_[norms_.size() - 1 - window] >= options_.automatic->ratio * norms_.back();
  }

  // A sign cannot say zero: parameters whose gradient was always exactly zero would receive +-scale for ever.
  void prepare_mask() {
    if (options_.mask == Mask::none) return;
    unused_.clear();
    for (std::size_t k = 0; k < variance_.size(); ++k)
      if (variance_[k] == 0.0f) unused_.push_back(k);
  }
  void apply_mask() {
    for (const std::size_t k : unused_) momentum_[k] = 0.0f;
  }

  OnebitOptions options_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<float> momentum_, variance_;  // m and v in the paper
  std::vector<double> norms_;               // |v| after every warm-up step
  bool variance_settled_ = false;
  std::vector<std::size_t> unused_;
};

constexpr double settled_share =
    0.3;  // freeze_step (1 - beta2) below this: v holds less than a quarter of its final value

std::vector<AlgorithmSpec::Finding> findings(const OnebitOptions& options, int ranks, std::int64_t numeric_elements,
                                             std::int64_t steps, Chunking chunking) {
  std::vector<AlgorithmSpec::Finding> found = common_findings(options.common, numeric_elements);
  if (const std::optional<PaddingFault> fault = padding_fault(numeric_elements, ranks, chunking))
    found.push_back({"", fault->message, fault->hint, true});
  if (options.automatic && numeric_elements == 0)
    found.push_back({"automatic_freeze", "an automatic freeze needs the numbers of a learning run",
                     "give freeze_step, or a `learning:` section", true});
  if (options.automatic) return found;
  if (options.freeze_step > steps)
    found.push_back(
        {"freeze_step",
         "the freeze comes after the last of " + std::to_string(steps) + " steps, so nothing is ever compressed",
         "freeze after 15 to 25 % of the steps", false});
  const double share = static_cast<double>(options.freeze_step) * (1.0 - options.adam.beta2);
  if (share < settled_share) {
    const auto least = static_cast<std::int64_t>(std::ceil(settled_share / (1.0 - options.adam.beta2)));
    found.push_back(
        {"freeze_step",
         "the variance is frozen after " + std::to_string(options.freeze_step) + " steps, before it has settled",
         "freeze_step: " + std::to_string(least) + " or later, as freeze_step x (1 - beta2) should reach 0.3", false});
  }
  return found;
}

}  // namespace

AlgorithmSpec read_onebit_adam(Params& params) {
  constexpr std::int64_t never = std::int64_t{1} << 52;
  OnebitOptions options;
  options.adam = read_adam_options(params);
  options.common = read_common_options(params);
  std::optional<Params> automatic =
      params.optional_section("automatic_freeze", "freeze when |v| has settled, at freeze_step at the latest");
  if (automatic) {
    AutomaticFreeze rule;
    rule.ratio = automatic->number("ratio", {0.0, 1.0, Range::Ends::open},
                                   "freeze when |v| of `window` steps before is at least this share of |v|", 0.96);
    rule.window =
        automatic->count("window", {1.0, 1e9}, "steps between the two; the paper takes 1 / (1 - beta2)", 1000);
    options.automatic = rule;
  }
  options.freeze_step = params.count(
      "freeze_step", {1.0, 1e12},
      "steps of plain Adam before the variance is frozen and compression starts; advice: 15 to 25 % of all",
      automatic && !params.describing() ? std::optional<std::int64_t>(never) : std::nullopt);
  options.mask =
      params.flag("momentum_mask", "keep the momentum of parameters without any gradient so far at zero", false)
          ? Mask::unused_parameters
          : Mask::none;
  const Row<ExchangeMaker>* exchange = exchanges().find("two_sided_compressed");
  ensure(exchange != nullptr, "there is a two-sided compressed exchange");
  options.exchange = exchange->read(params);

  AlgorithmSpec spec;
  spec.trajectory_independent_of_time = !options.automatic;
  spec.horizon_steps = horizon_steps(options.adam);
  spec.make = [options](const Layout& layout, int ranks, std::int64_t) {
    return std::make_unique<OnebitAdam>(options, layout, ranks);
  };
  spec.check.findings = [options](int ranks, std::int64_t numeric_elements, std::int64_t steps, Chunking chunking) {
    return findings(options, ranks, numeric_elements, steps, chunking);
  };
  return spec;
}

}  // namespace models
