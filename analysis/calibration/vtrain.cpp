// Iterations of Megatron-DeepSpeed on one node of A100 (vTrain, MICRO 2024; VIA-Research/vTrain, MIT-style licence).
// Rows without tensor and pipeline parallelism; data parallelism adds the node's measured all-reduce of fp16 gradients
// after the last backward pass.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "analysis/calibration/measurement.hpp"
#include "analysis/calibration/rows.hpp"
#include "models/architecture/transformer.hpp"

namespace analysis {
namespace {

using models::Bytes;
using models::Device;
using models::Precision;
using models::Seconds;

models::TransformerShape gpt(std::int64_t hidden, std::int64_t layers, std::int64_t heads, std::int64_t sequence) {
  models::TransformerShape shape;
  shape.name = "GPT";
  shape.hidden_size = hidden;
  shape.num_layers = layers;
  shape.num_attention_heads = shape.num_key_value_heads = heads;
  shape.head_dim = hidden / heads;
  shape.intermediate_size = 4 * hidden;
  shape.vocab_size = 50257;  // GPT-2's, not padded: inferred from how slow the output layer is in these rows
  shape.max_position_embeddings = shape.sequence_length = sequence;
  return shape;
}

// nccl-tests out-of-place times by size, a MiB apart.
class AllReduce {
 public:
  explicit AllReduce(const std::string& file) : rows_(read_rows(file)) {}
  bool empty() const { return rows_.rows.empty(); }
  Seconds time(Bytes size) const {
    const std::size_t last = rows_.rows.size() - 1;
    const double largest = rows_.number(last, 0), step = rows_.number(0, 0);
    if (size.value >= largest) return Seconds{rows_.number(last, 3) * 1e-9 * size.value / largest};
    const auto below = static_cast<std::size_t>(std::max(size.value / step, 1.0)) - 1;
    const double low = rows_.number(below, 3), high = rows_.number(std::min(below + 1, last), 3);
    const double share = std::max(0.0, size.value / step - static_cast<double>(below + 1));
    return Seconds{(low + (high - low) * share) * 1e-9};
  }

 private:
  Rows rows_;
};

// Apex FusedAdam in mixed precision: gradient, master weight and both moments read, all but the gradient written in
// fp32 (28 B), the fp16 gradient read and the fp16 weight written, the gradient unscaled first.
models::Kernel adam(std::int64_t parameters) {
  constexpr double bytes_per_parameter = 28.0 + 2.0 + 2.0 + 2.0;
  models::Kernel kernel;
  kernel.name = "adam";
  kernel.kind = models::KernelKind::optimizer;
  kernel.bytes = Bytes{bytes_per_parameter * static_cast<double>(parameters)};
  return kernel;
}

}  // namespace

void read_vtrain(const std::string& folder, const HeldOut& held_out, std::vector<Measurement>& into) {
  const Rows rows = read_rows(folder + "/vtrain/ground_truth_single_A.csv");
  constexpr std::array<std::int64_t, 3> group_sizes{2, 4, 8};
  std::vector<AllReduce> tables;
  for (const std::int64_t size : group_sizes)
    tables.emplace_back(folder + "/vtrain/allreduce_a100_" + std::to_string(size) + "gpu.csv");
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::int64_t replicas = rows.count(i, 8);
    const auto table = std::find(group_sizes.begin(), group_sizes.end(), replicas) - group_sizes.begin();
    const bool alone = rows.count(i, 7) == 1 && rows.count(i, 9) == 1;
    if (!alone || table == 3 || tables[static_cast<std::size_t>(table)].empty()) continue;
    const std::int64_t hidden = rows.count(i, 3), layers = rows.count(i, 5), micro = rows.count(i, 2);
    const std::unique_ptr<const models::Architecture> model =
        models::transformer(gpt(hidden, layers, rows.count(i, 4), rows.count(i, 6)));
    auto plan = std::make_shared<const models::StepPlan>(
        model->step_plan({micro, 0}, Precision::fp16, models::Recompute::none));
    const Seconds exchange =
        tables[static_cast<std::size_t>(table)].time(2.0 * Bytes{static_cast<double>(plan->parameters)});
    const double accumulation = static_cast<double>(rows.count(i, 1) / (micro * replicas));
    Measurement row;
    row.set = "training step fp16, GPT";
    row.device = "a100_sxm4_80gb";
    row.split = held_out.of("vtrain", "hidden " + std::to_string(hidden) + " layers " + std::to_string(layers));
    row.measured = Seconds{rows.number(i, 10) * 1e-3};
    row.flops = accumulation * plan->model_flops;
    row.predicted = [plan, exchange, accumulation](const Device& device) {
      Seconds passes{};
      for (const models::LayerWork& layer : plan->layers)
        passes += models::forward_time(layer, device, models::roofline) +
                  models::backward_time(layer, device, models::roofline);
      return accumulation * passes + exchange + models::roofline(adam(plan->parameters), device) + device.step_overhead;
    };
    into.push_back(std::move(row));
  }
}

}  // namespace analysis
