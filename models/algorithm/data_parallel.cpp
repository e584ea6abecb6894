// Gradients are averaged in buckets while the backward pass goes on.
// Li et al.: PyTorch Distributed: experiences on accelerating data parallel training, VLDB 2020, section 3.2.3.

#include "models/algorithm/data_parallel.hpp"

#include "models/algorithm/gradient.hpp"
#include "models/base/params.hpp"

namespace models {
namespace {

class DataParallel final : public Algorithm {
 public:
  DataParallel(const CommonOptions& options, std::unique_ptr<Optimizer> optimizer)
      : options_(options), optimizer_(std::move(optimizer)) {}

  Task run(Worker& self) override {
    self.phase("training", self.steps());
    for (std::int64_t step = 0; step < self.steps(); step = self.next_step(step)) {
      self.begin_step(step);
      Task gradient = averaged_gradient(self);
      co_await gradient;
      Operation updated = update(self, step);
      co_await updated;
      Operation ended = self.end_step(step);
      const Outcome outcome = co_await ended;
      if (outcome.item == 1) co_return;
    }
  }

  std::vector<Buffer> buffers(const Layout& layout, const Group&) const override {
    return optimizer_->buffers(layout.full_parameters);
  }

 private:
  Operation update(Worker& self, std::int64_t step) {
    Kernel kernel = optimizer_->work(self.layout().full_parameters);
    kernel.fixed = options_.step_overhead;
    if (!self.learning()) return self.compute(kernel);
    const StepInfo info{step, learning_rate_at(options_, step, self.steps()), &self.layout()};
    return self.compute(kernel, [this, &self, info] { optimizer_->step(self.weights(), self.gradient(), info); });
  }

  CommonOptions options_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace

AlgorithmSpec data_parallel(Params& params, OptimizerMaker maker) {
  const CommonOptions options = read_common_options(params);
  AlgorithmSpec spec;
  spec.horizon_steps = maker(0)->horizon_steps();
  spec.make = [options, maker = std::move(maker)](const Layout& layout, int, std::int64_t) {
    return std::make_unique<DataParallel>(options, maker(layout.numeric_parameters));
  };
  spec.check.findings = [options](int, std::int64_t numeric_elements, std::int64_t, Chunking) {
    return common_findings(options, numeric_elements);
  };
  return spec;
}

}  // namespace models
