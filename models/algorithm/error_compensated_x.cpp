// Momentum SGD whose estimator is compressed both ways, with the errors of two steps weighed so that the sum of all
// updates misses the uncompressed one by the last error only.
//   worker  q_i = A_i + w_i, w_i = (2 - a) d_i,t-1 - (1 - a) d_i,t-2; send C(q_i); d_i,t = q_i - C(q_i); server alike
//   all     v = (1 - a) v + a C(q); x = x - lr v
// Tang, Li, Liu, Zhang: ErrorCompensatedX, NeurIPS 2021, algorithm 1, for momentum SGD (A = gradient, a constant).

#include <optional>
#include <utility>

#include "models/algorithm/exchanged.hpp"
#include "models/algorithm/gradient.hpp"
#include "models/base/block_sum.hpp"
#include "models/base/params.hpp"
#include "models/exchange/compressed_shards.hpp"
#include "models/kernel/descent.hpp"

namespace models {
namespace {

enum class Rule : std::size_t { two_steps, one_step };
constexpr std::string_view rule_names[] = {"two_steps", "one_step"};

struct CompensatedOptions {
  CommonOptions common;
  ShardOptions shards;
  double alpha = 0.1;  // a
  Rule rule = Rule::two_steps;
};

class Compensated final : public Algorithm {
 public:
  Compensated(const CompensatedOptions& options, const Layout& layout, int ranks)
      : options_(options),
        exchange_(options.shards, {ranks, layout.numeric_parameters, layout.full_parameters, layout.chunking}),
        velocity_(static_cast<std::size_t>(layout.numeric_parameters)) {
    const auto rest = static_cast<float>(1.0 - options.alpha);
    if (options.rule == Rule::two_steps) exchange_.compensate({1.0f + rest, -rest});
  }

  Task run(Worker& self) override {
    self.phase("training", self.steps());
    const double size = static_cast<double>(self.layout().full_parameters);
    for (std::int64_t step = 0; step < self.steps(); step = self.next_step(step)) {
      self.begin_step(step);
      Task gradient = own_gradient(self);
      co_await gradient;
      Task average = exchange_.average(self, self.layout().full_parameters, self.gradient());
      co_await average;
      const Kernel kernel{.name = "momentum",
                          .kind = KernelKind::optimizer,
                          .bytes = Bytes{20.0 * size},
                          .fixed = options_.common.step_overhead};
      const auto rate = static_cast<float>(learning_rate_at(options_.common, step, self.steps()));
      Operation updated =
          self.compute(kernel, self.learning() ? Work([this, &self, rate] { update(self, rate); }) : Work{});
      co_await updated;
      Operation ended = self.end_step(step);
      const Outcome outcome = co_await ended;
      if (outcome.item == 1) co_return;
    }
  }

  std::vector<Buffer> buffers(const Layout& layout, const Group& group) const override {
    std::vector<Buffer> all = exchange_.buffers(layout.full_parameters, group);
    all.push_back(
        {MemoryCategory::optimizer_state, Bytes{4.0 * static_cast<double>(layout.full_parameters)}, Lifetime::run});
    return all;
  }

 private:
  void update(Worker& self, float rate) {
    const auto alpha = static_cast<float>(options_.alpha);
    blend(velocity_, self.gradient(), static_cast<float>(1.0 - options_.alpha), alpha);
    blend(self.weights(), velocity_, 1.0f, -rate);
  }

  CompensatedOptions options_;
  CompressedShards exchange_;
  std::vector<float> velocity_;  // v
};

// The rule weighs errors by up to 2: a code that can leave more of a vector than there was makes them grow. One element
// in a hundred of the probe is large.
bool contracts(const Compressor& compressor) {
  std::vector<float> probe(1000, 0.0f), decoded(probe.size());
  Stream stream(0, Purpose::problem, 0, 0);
  for (std::size_t k = 0; k < probe.size(); k += 100) probe[k] = static_cast<float>(stream.normal());
  compressor.decode(compressor.encode(probe, Stream(0, Purpose::dither, 0, 0)), decoded);
  blend(decoded, probe, -1.0f, 1.0f);
  return sum_of_squares(decoded) < sum_of_squares(probe);
}

}  // namespace

AlgorithmSpec read_error_compensated_x(Params& params) {
  CompensatedOptions options;
  options.shards = read_shard_options(params);
  options.alpha = params.number("alpha", {0.0, 1.0, Range::Ends::open_low},
                                "share of the new estimate in v; 1 - alpha is the momentum", options.alpha);
  options.rule = static_cast<Rule>(params.choice(
      "rule", rule_names, "errors added: of two steps, weighed; or of the last step, as plain error feedback", 0));
  if (options.rule == Rule::two_steps) options.shards.history = Errors::Kept::last_two;
  options.common = read_common_options(params);
  AlgorithmSpec spec;
  if (!options.shards.compressor) return spec;
  spec.scaling = options.shards.compressor()->traits().scaling;
  spec.horizon_steps = 1.0 / options.alpha;
  spec.make = [options](const Layout& layout, int ranks, std::int64_t) {
    return std::make_unique<Compensated>(options, layout, ranks);
  };
  spec.check.findings = [options](int, std::int64_t numeric_elements, std::int64_t, Chunking) {
    std::vector<AlgorithmSpec::Finding> found = common_findings(options.common, numeric_elements);
    for (AlgorithmSpec::Finding& finding : compressor_findings(options.shards.compressor))
      found.push_back(std::move(finding));
    if (found.empty() && options.rule == Rule::two_steps && numeric_elements > 0 &&
        !contracts(*options.shards.compressor()))
      found.push_back({"compressor",
                       "this compressor does not contract every vector, and the two-step rule diverges with it",
                       "use one_bit with scale: l1, top_k with a large share, or rule: one_step", false});
    return found;
  };
  return spec;
}

}  // namespace models
