// Training throughput of BERT-Large on one V100 of a DGX-1 (NVIDIA/DeepLearningExamples, PyTorch BERT README,
// container 21.11): mixed and fp32. Only sequence length 128: the rows of 512 exceed the fp32 peak of the device (their
// sequences are binned, not padded). LAMB runs once in many micro-batches; its time is in the rows and is left out here
// (under 1 %).
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "analysis/calibration/measurement.hpp"
#include "analysis/calibration/rows.hpp"
#include "models/architecture/transformer.hpp"
#include "models/base/units.hpp"

namespace analysis {
namespace {

using models::Device;
using models::Precision;
using models::Seconds;

models::TransformerShape bert_large() {
  models::TransformerShape shape;
  shape.name = "bert_large";
  shape.hidden_size = 1024;
  shape.num_layers = 24;
  shape.num_attention_heads = shape.num_key_value_heads = 16;
  shape.head_dim = 64;
  shape.intermediate_size = 4096;
  shape.vocab_size = 30528;  // padded to 8 there
  shape.max_position_embeddings = 512;
  shape.predicted_share = 0.15;
  shape.causal = false;
  return shape;
}

// "KEY=VALUE; KEY=VALUE": the value of a key.
std::optional<double> value_of(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key + "=");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + key.size() + 1;
  return models::read_number(text.substr(begin, text.find(';', begin) - begin));
}

struct Run {
  const char* key;
  Precision precision;
  std::int64_t sequence, samples;
};
// Micro-batch = batch per GPU / accumulation steps of the same row.
constexpr std::array<Run, 2> runs{{{"Throughput - mixed precision(sequences/sec)", Precision::fp16, 128, 64},
                                   {"Throughput - FP32(sequences/sec)", Precision::fp32, 128, 32}}};

}  // namespace

void read_nvidia_dle(const std::string& folder, const HeldOut&, std::vector<Measurement>& into) {
  const Rows rows = read_rows(folder + "/nvidia_dle/training_A.csv");
  for (const std::vector<std::string>& cells : rows.rows) {
    if (cells.size() < 3 || cells[0] != "BERT" || cells[1].find("Pre-training") == std::string::npos ||
        value_of(cells[2], "GPUs") != 1.0)
      continue;
    for (const Run& run : runs) {
      const auto throughput = value_of(cells[2], run.key);
      if (value_of(cells[2], "Sequence length") != static_cast<double>(run.sequence) || !throughput) continue;
      models::TransformerShape shape = bert_large();
      const auto model = models::transformer(shape);
      auto plan = std::make_shared<const models::StepPlan>(
          model->step_plan({run.samples, run.sequence}, run.precision, models::Recompute::none));
      Measurement row;
      row.set = "BERT-Large pre-training, fp16 and fp32";
      row.device = "v100_sxm2_32gb";
      row.measured = Seconds{static_cast<double>(run.samples) / *throughput};
      row.flops = plan->model_flops;
      row.precision = run.precision;
      row.predicted = [plan](const Device& device) {
        Seconds passes{};
        for (const models::LayerWork& layer : plan->layers)
          passes += models::forward_time(layer, device, models::roofline) +
                    models::backward_time(layer, device, models::roofline);
        return passes;
      };
      into.push_back(std::move(row));
    }
  }
}

}  // namespace analysis
