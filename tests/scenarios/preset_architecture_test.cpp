#include <catch2/catch.hpp>

#include "scenarios/calibration/devices.hpp"
#include "scenarios/reader/scenario.hpp"

TEST_CASE("parameter counts of the model presets are the published ones", "[architecture][golden]") {
  struct Published {
    const char* name;
    std::int64_t parameters;
  };
  // Hugging Face checkpoints (BertForPreTraining: with pooler, masked-language-model and next-sentence heads; GPT-2 and
  // OPT with tied embeddings) and torchvision's parameter counts.
  const Published all[] = {
      {"bert_base", 110'106'428},    {"bert_large", 336'226'108},     {"gpt2_small", 124'439'808},
      {"gpt2_medium", 354'823'168},  {"gpt2_large", 774'030'080},     {"gpt2_xl", 1'557'611'200},
      {"opt_1_3b", 1'315'758'080},   {"opt_13b", 12'853'473'280},     {"opt_30b", 29'974'540'288},
      {"llama_2_7b", 6'738'415'616}, {"llama_2_13b", 13'015'864'320}, {"llama_2_70b", 68'976'648'192},
      {"llama_3_8b", 8'030'261'248}, {"llama_3_70b", 70'553'706'496}, {"mistral_7b", 7'241'732'096},
      {"qwen2_7b", 7'615'616'512},   {"resnet_50", 25'557'032},       {"resnet_152", 60'192'808},
      {"vgg_16", 138'357'544},       {"alexnet", 61'100'840}};
  for (const Published& row : all) {
    INFO(row.name);
    CHECK(scenarios::preset_architecture(row.name)->parameters() == row.parameters);
  }
  CHECK(static_cast<double>(scenarios::preset_architecture("opt_175b")->parameters()) == Approx(174.6e9).epsilon(1e-3));
}

TEST_CASE("every model preset expands, its layers' parameters add up, and its times are finite on every device preset",
          "[architecture]") {
  for (const std::string& name : scenarios::presets().names("architecture")) {
    INFO(name);
    const auto model = scenarios::preset_architecture(name);
    CHECK(model->name() == name);
    const models::StepPlan plan = model->step_plan({1, 0}, models::Precision::fp16, models::Recompute::none);
    CHECK(plan.parameters == model->parameters());
    CHECK(plan.model_flops.value > 0.0);
    for (const std::string& device_name : scenarios::presets().names("device")) {
      const models::Device device = scenarios::preset_device(device_name);
      double seconds = 0.0;
      for (const models::LayerWork& layer : plan.layers)
        seconds += (models::forward_time(layer, device, models::roofline) +
                    models::backward_time(layer, device, models::roofline))
                       .value;
      CHECK(seconds > 1e-4);
      CHECK(seconds < 1e4);
    }
  }
}

TEST_CASE("the hardware never executes fewer operations than the model needs", "[architecture]") {
  using models::Precision, models::Recompute;
  for (const std::string& name : scenarios::presets().names("architecture")) {
    const auto model = scenarios::preset_architecture(name);
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
      for (const std::int64_t samples : {1, 3, 64})
        for (const std::int64_t length : {std::int64_t{1}, std::int64_t{128}, model->default_sequence_length()}) {
          INFO(name << ", " << samples << " samples of " << length << ", recompute " << static_cast<int>(recompute));
          const models::StepPlan plan = model->step_plan({samples, length}, Precision::bf16, recompute);
          CHECK(plan.model_flops.value > 0.0);
          CHECK(plan.hardware_flops.value >= plan.model_flops.value * (1.0 - 1e-12));
        }
  }
}

TEST_CASE("every device preset lists each of its constants with a source", "[device]") {
  for (const std::string& name : scenarios::presets().names("device")) {
    INFO(name);
    const models::Device device = scenarios::preset_device(name);
    CHECK(device.name == name);
    CHECK(device.memory.value > 1e10);
    CHECK(device.constants.size() > 20);
    for (const auto& constant : device.constants) {
      INFO(constant.name);
      CHECK(!constant.source.empty());
    }
  }
}
