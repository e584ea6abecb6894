#include "models/algorithm/exchanged.hpp"

#include <utility>

#include "models/algorithm/gradient.hpp"
#include "models/base/params.hpp"

namespace models {
namespace {

class Exchanged final : public Algorithm {
 public:
  Exchanged(CommonOptions options, std::unique_ptr<Exchange> exchange, std::unique_ptr<Optimizer> optimizer)
      : options_(std::move(options)), exchange_(std::move(exchange)), optimizer_(std::move(optimizer)) {}

  Task run(Worker& self) override {
    self.phase("training", self.steps());
    for (std::int64_t step = 0; step < self.steps(); step = self.next_step(step)) {
      self.begin_step(step);
      Task gradient = own_gradient(self);
      co_await gradient;
      Task average = exchange_->average(self, self.layout().full_parameters, self.gradient());
      co_await average;
      Kernel kernel = optimizer_->work(self.layout().full_parameters);
      kernel.fixed = options_.step_overhead;
      const StepInfo info{step, learning_rate_at(options_, step, self.steps()), &self.layout()};
      Operation updated = self.compute(kernel, self.learning() ? Work([this, &self, info] {
                                         optimizer_->step(self.weights(), self.gradient(), info);
                                       })
                                                               : Work{});
      co_await updated;
      Operation ended = self.end_step(step);
      const Outcome outcome = co_await ended;
      if (outcome.item == 1) co_return;
    }
  }

  std::vector<Buffer> buffers(const Layout& layout, const Group& group) const override {
    std::vector<Buffer> all = exchange_->buffers(layout.full_parameters, group);
    for (const Buffer& buffer : optimizer_->buffers(layout.full_parameters)) all.push_back(buffer);
    return all;
  }

 private:
  CommonOptions options_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace

std::vector<AlgorithmSpec::Finding> compressor_findings(const CompressorMaker& compressor) {
  constexpr std::int64_t any = 1000;
  if (compressor()->wire_size(any)) return {};
  return {{"compressor", "the size of this compressor's code depends on the data, and messages here are planned before",
           "use a compressor of fixed size: top_k instead of threshold, coding: fixed for qsgd", true}};
}

AlgorithmSpec exchanged(Params& params, ExchangeMaker exchange, OptimizerMaker optimizer,
                        const CompressorMaker& compressor) {
  const CommonOptions options = read_common_options(params);
  AlgorithmSpec spec;
  if (!compressor) return spec;
  spec.scaling = compressor()->traits().scaling;
  spec.horizon_steps = optimizer(0)->horizon_steps();
  spec.make = [options, exchange = std::move(exchange), optimizer = std::move(optimizer)](const Layout& layout,
                                                                                          int ranks, std::int64_t) {
    return std::make_unique<Exchanged>(
        options, exchange({ranks, layout.numeric_parameters, layout.full_parameters, layout.chunking}),
        optimizer(layout.numeric_parameters));
  };
  spec.check.findings = [options, compressor](int, std::int64_t numeric_elements, std::int64_t, Chunking) {
    std::vector<AlgorithmSpec::Finding> found = common_findings(options, numeric_elements);
    for (AlgorithmSpec::Finding& finding : compressor_findings(compressor)) found.push_back(std::move(finding));
    return found;
  };
  return spec;
}

}  // namespace models
