#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>

#include "analysis/calibration/calibrate.hpp"
#include "scenarios/calibration/devices.hpp"
#include "scenarios/reader/scenario.hpp"
#include "scenarios/reader/yaml.hpp"

namespace {

const std::string data_folder = SOURCE_DIR "/../shared/data";

const std::vector<analysis::Line>& lines() {
  static const std::vector<analysis::Line> all = [] {
    const analysis::HeldOut held_out(scenarios::read_text(SOURCE_DIR "/analysis/calibration/held_out.csv"));
    const auto rows = analysis::read_measurements(data_folder, held_out);
    return analysis::accuracies(scenarios::preset_devices(analysis::calibrated_devices()), rows);
  }();
  return all;
}

bool absent() {
  if (std::filesystem::exists(data_folder + "/vtrain/ground_truth_single_A.csv")) return false;
  std::cout << "skipped: no measured data in " << data_folder << '\n';
  return true;
}

const analysis::Line* line(const std::string& set, const std::string& device, analysis::Use use) {
  for (const analysis::Line& row : lines())
    if (row.set == set && row.device == device && row.use == use) return &row;
  return nullptr;
}

}  // namespace

TEST_CASE("training steps and training-size GEMMs that the fit never saw are predicted within 12 % on average",
          "[calibration]") {
  if (absent()) return;
  for (const auto& [set, device] :
       {std::pair("training step fp16, GPT", "a100_sxm4_80gb"), std::pair("GEMM bf16 (m >= 128)", "a100_sxm4_80gb"),
        std::pair("GEMM bf16 (m >= 128)", "h100_sxm5_80gb")}) {
    const analysis::Line* row = line(set, device, analysis::Use::held_out);
    REQUIRE(row != nullptr);
    CHECK(row->accuracy.rows >= 90);
    CHECK(row->accuracy.mean < 0.12);
    CHECK(row->accuracy.mean < row->accuracy.pure_flops_mean / 3.0);
  }
}

TEST_CASE("whole models on V100 that no fit has read are predicted within 12 % on average", "[calibration]") {
  if (absent()) return;
  for (const auto& [set, device] : {std::pair("BERT-Large pre-training, fp16 and fp32", "v100_sxm2_32gb"),
                                    std::pair("forward and backward fp32, whole models", "v100_pcie_16gb"),
                                    std::pair("forward fp32, whole models", "v100_pcie_16gb")}) {
    const analysis::Line* row = line(set, device, analysis::Use::unused);
    REQUIRE(row != nullptr);
    CHECK(row->accuracy.mean < 0.12);
  }
}

// 1-bit Adam (Tang et al., ICML 2021), profiling table: BERT-Large, sequence length 128, fp16, one V100, milliseconds.
// Not fitted on.
TEST_CASE("forward and backward of the 1-bit Adam profiling table come out within 25 %", "[calibration][golden]") {
  struct Row {
    std::int64_t samples;
    double forward, backward;
  };
  const models::Device device = scenarios::preset_device("v100_pcie_16gb");
  const auto model = scenarios::preset_architecture("bert_large");
  for (const Row& row : {Row{16, 35.71, 60.81}, Row{1, 36.65, 33.63}}) {
    const models::StepPlan plan =
        model->step_plan({row.samples, 128}, models::Precision::fp16, models::Recompute::none);
    double forward = 0.0, backward = 0.0;
    for (const models::LayerWork& layer : plan.layers) {
      forward += 1e3 * models::forward_time(layer, device, models::roofline).value;
      backward += 1e3 * models::backward_time(layer, device, models::roofline).value;
    }
    INFO("micro-batch " << row.samples);
    CHECK(forward == Approx(row.forward).epsilon(0.25));
    CHECK(backward == Approx(row.backward).epsilon(0.25));
  }
}

TEST_CASE("held-out sizes are read as whole pairs of set and size", "[calibration]") {
  const analysis::HeldOut held_out("# comment\nvtrain,hidden 1024 layers 16\n");
  CHECK(held_out.of("vtrain", "hidden 1024 layers 16") == analysis::Split::held_out);
  CHECK(held_out.of("vtrain", "hidden 1024 layers 24") == analysis::Split::fitted);
}
