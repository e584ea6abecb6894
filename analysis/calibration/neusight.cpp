// Kernels and whole models in fp32 (NeuSight, ASPLOS 2025; sitar-lab/NeuSight, MIT): PyTorch 2.1, tensor cores not
// used.
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "analysis/calibration/measurement.hpp"
#include "analysis/calibration/rows.hpp"
#include "models/architecture/kernels.hpp"
#include "models/architecture/transformer.hpp"

namespace analysis {
namespace {

using models::Device;
using models::Kernel;
using models::Precision;
using models::Seconds;

// The device of a row and the preset of the same chip, memory and clocks.
constexpr std::array<std::pair<const char*, const char*>, 8> presets{{
    {"Tesla V100-PCIE-32GB", "v100_pcie_16gb"},
    {"Tesla T4", "t4_16gb"},
    {"NVIDIA A100-PCIE-40GB", "a100_pcie_40gb"},
    {"Tesla_V100-PCIE-32GB", "v100_pcie_16gb"},
    {"Tesla_T4", "t4_16gb"},
    {"NVIDIA_A100-PCIE-40GB", "a100_pcie_40gb"},
    {"NVIDIA_A100_80GB_PCIe", "a100_pcie_80gb"},
    {"NVIDIA_A100-SXM4-40GB", "a100_sxm4_40gb"},
}};
const char* preset_of(const std::string& device) {
  for (const auto& [name, preset] : presets)
    if (device == name) return preset;
  return nullptr;
}

template <class MakeKernel>
void read_kernels(const Rows& rows, const char* set, std::size_t time_column, const MakeKernel& make,
                  std::vector<Measurement>& into) {
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const char* preset = preset_of(rows.rows[i][0]);
    if (preset == nullptr) continue;
    const Kernel kernel = make(i);
    Measurement row;
    row.set = set;
    row.device = preset;
    row.measured = Seconds{rows.number(i, time_column) * 1e-3};
    row.predicted = [kernel](const Device& device) { return models::roofline(kernel, device); };
    row.flops = kernel.flops;
    row.precision = Precision::fp32;
    into.push_back(std::move(row));
  }
}

// Dimensions as the data set's model configurations have them.
models::TransformerShape shape_of(const std::string& model) {
  struct Size {
    const char* name;
    std::int64_t hidden, layers, heads, vocabulary;
  };
  constexpr std::array<Size, 6> sizes{{{"bert_large", 1024, 24, 16, 30522},
                                       {"gpt2_large", 1280, 36, 20, 50257},
                                       {"gpt2_xl", 1600, 48, 25, 50257},
                                       {"gpt3_xl", 3072, 24, 24, 50257},
                                       {"gpt3_27", 2560, 32, 32, 50257},
                                       {"opt_13", 2048, 24, 32, 50272}}};
  models::TransformerShape shape;
  for (const Size& size : sizes) {
    if (model != size.name) continue;
    shape.name = model;
    shape.hidden_size = size.hidden;
    shape.num_layers = size.layers;
    shape.num_attention_heads = shape.num_key_value_heads = size.heads;
    shape.head_dim = size.hidden / size.heads;
    shape.intermediate_size = 4 * size.hidden;
    shape.vocab_size = size.vocabulary;
    shape.max_position_embeddings = 4096;
    shape.causal = model != "bert_large";
  }
  return shape;
}

void read_models(const Rows& rows, std::vector<Measurement>& into) {
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::vector<std::string>& cells = rows.rows[i];
    const char* preset = preset_of(cells[0]);
    models::TransformerShape shape = shape_of(cells[1]);
    if (preset == nullptr || shape.name.empty() || !cells[5].empty()) continue;
    const bool trains = cells[2] == "train";
    shape.dropout = trains;
    shape.sequence_length = rows.count(i, 3);
    if (const auto layers = rows.count(i, 6); layers > 0) shape.num_layers = layers;
    const auto model = models::transformer(shape);
    auto plan = std::make_shared<const models::StepPlan>(
        model->step_plan({rows.count(i, 4), 0}, Precision::fp32, models::Recompute::none));
    Measurement row;
    row.set = trains ? "forward and backward fp32, whole models" : "forward fp32, whole models";
    row.device = preset;
    row.measured = Seconds{rows.number(i, 7) * 1e-3};
    row.flops = plan->model_flops * (trains ? 1.0 : 1.0 / 3.0);
    row.precision = Precision::fp32;
    row.predicted = [plan, trains](const Device& device) {
      Seconds passes{};
      for (const models::LayerWork& layer : plan->layers) {
        passes += models::forward_time(layer, device, models::roofline);
        if (trains) passes += models::backward_time(layer, device, models::roofline);
      }
      return passes;
    };
    into.push_back(std::move(row));
  }
}

}  // namespace

void read_neusight(const std::string& folder, const HeldOut&, std::vector<Measurement>& into) {
  const std::string base = folder + "/neusight/";
  const auto product = [](const Rows& rows) {
    return [&rows](std::size_t i) {
      return models::gemm("gemm", rows.count(i, 2), rows.count(i, 3), rows.count(i, 4), Precision::fp32,
                          rows.count(i, 1));
    };
  };
  const Rows linear = read_rows(base + "linear_A.csv"), batched = read_rows(base + "bmm_A.csv");
  read_kernels(linear, "GEMM fp32", 5, product(linear), into);
  read_kernels(batched, "batched GEMM fp32", 5, product(batched), into);
  for (const char* file : {"ln_A.csv", "softmax_A.csv"}) {
    const Rows rows = read_rows(base + file);
    const auto make = [&rows](std::size_t i) {
      const double elements = rows.number(i, 1) * rows.number(i, 2);
      return models::elementwise("pass", 2.0 * elements * models::element_size(Precision::fp32), Precision::fp32);
    };
    read_kernels(rows, "layer norm and softmax fp32", 3, make, into);
  }
  read_models(read_rows(base + "model_latency_A.csv"), into);
}

}  // namespace analysis
