#include <catch2/catch.hpp>

#include "models/architecture/cnn.hpp"
#include "models/architecture/transformer.hpp"

using namespace models;

namespace {

TransformerShape gpt() {
  TransformerShape shape;
  shape.name = "gpt";
  shape.hidden_size = 1024;
  shape.num_layers = 2;
  shape.num_attention_heads = shape.num_key_value_heads = 16;
  shape.head_dim = 64;
  shape.intermediate_size = 4096;
  shape.vocab_size = 50304;
  shape.max_position_embeddings = shape.sequence_length = 1024;
  return shape;
}

Flops flops(const std::vector<Kernel>& kernels) {
  Flops sum{};
  for (const Kernel& kernel : kernels) sum += kernel.flops * kernel.repeats;
  return sum;
}

Device unit_device() {
  Device device;
  device.memory_bandwidth = 100_GBps;
  for (FlopsPerSecond& peak : device.peak) peak = 10_TFLOPS;
  return device;
}

}  // namespace

TEST_CASE("a block keeps 34 sbh + 5 a s^2 b bytes of activations in half precision (Korthikanti 2022, equation 1)",
          "[architecture]") {
  const double s = 1024, b = 3, h = 1024, a = 16;
  const auto plan = [](Recompute recompute) {
    return transformer(gpt())->step_plan({3, 0}, Precision::fp16, recompute);
  };
  CHECK(plan(Recompute::none).layers[1].activations.value == 34 * s * b * h + 5 * a * s * s * b);
  CHECK(plan(Recompute::selective).layers[1].activations.value == 34 * s * b * h);
  CHECK(plan(Recompute::full).layers[1].activations.value == 2 * s * b * h);
}

TEST_CASE("a block's GEMMs take 24 s b h^2 + 4 s^2 b h flops forward and twice that backward", "[architecture]") {
  const double s = 1024, b = 3, h = 1024;
  const StepPlan plan = transformer(gpt())->step_plan({3, 0}, Precision::fp16, Recompute::none);
  const double forward = 24 * s * b * h * h + 4 * s * s * b * h;
  CHECK(flops(plan.layers[1].forward).value == forward);
  CHECK(flops(plan.layers[1].backward).value == 2 * forward);
}

TEST_CASE("full recomputation repeats a block's forward pass, selective only the scores", "[architecture]") {
  const double s = 1024, b = 1, h = 1024;
  const auto backward = [](Recompute recompute) {
    return flops(transformer(gpt())->step_plan({1, 0}, Precision::fp16, recompute).layers[1].backward).value;
  };
  CHECK(backward(Recompute::full) - backward(Recompute::none) == 24 * s * b * h * h + 4 * s * s * b * h);
  CHECK(backward(Recompute::selective) - backward(Recompute::none) == 2 * s * s * b * h);
}

TEST_CASE("model flops are 6 N per token and half the attention when it is causal, N without tables",
          "[architecture]") {
  TransformerShape shape = gpt();
  const double h = 1024, tokens = 2 * 512;
  const auto model_flops = [&](bool causal) {
    shape.causal = causal;
    return transformer(shape)->step_plan({2, 512}, Precision::fp16, Recompute::none).model_flops.value;
  };
  const double weights = 2 * 12 * h * h + 50304 * h;
  const double full = 12.0 * 2 * h * 512 * tokens;  // 12 L h s per token
  CHECK(model_flops(false) == Approx(6 * weights * tokens + full).epsilon(1e-12));
  CHECK(model_flops(true) == Approx(6 * weights * tokens + full / 2).epsilon(1e-12));
  // A masked language model multiplies the output layer with the masked tokens only.
  shape.predicted_share = 0.25;
  CHECK(model_flops(false) == Approx(6 * (2 * 12 * h * h + 50304 * h / 4) * tokens + full).epsilon(1e-12));
}

TEST_CASE("the plan's sums are those of its layers", "[architecture]") {
  const auto model = transformer(gpt());
  const StepPlan plan = model->step_plan({2, 0}, Precision::bf16, Recompute::full);
  Flops sum{};
  std::int64_t parameters = 0;
  for (const LayerWork& layer : plan.layers) {
    sum += flops(layer.forward) + flops(layer.backward);
    parameters += layer.parameters;
  }
  CHECK(plan.parameters == parameters);
  CHECK(model->parameters() == parameters);
  CHECK(plan.hardware_flops.value == Approx(sum.value).epsilon(1e-12));
  CHECK(plan.layers.size() == 4);
  CHECK(plan.layers.front().name == "embedding");
  CHECK(plan.layers.back().name == "head");
}

TEST_CASE("fused attention keeps no scores and skips the masked half", "[architecture]") {
  TransformerShape shape = gpt();
  shape.attention = Attention::flash;
  shape.dropout = false;
  const StepPlan plan = transformer(shape)->step_plan({1, 0}, Precision::bf16, Recompute::none);
  const double s = 1024, h = 1024, f = 4096, a = 16;
  CHECK(plan.layers[1].activations.value == 2 * (8 * s * h + 2 * s * f) + 4 * s * a);
  CHECK(flops(plan.layers[1].forward).value == 24 * s * h * h + 2 * s * s * h);
}

TEST_CASE("grouped queries shrink the key and value weights only", "[architecture]") {
  TransformerShape shape = gpt();
  const std::int64_t all = transformer(shape)->parameters();
  shape.num_key_value_heads = 4;
  CHECK(all - transformer(shape)->parameters() ==
        2 * (2 * 1024 * 768 + 2 * 768));  // layers x (two weights, two biases)
}

TEST_CASE("a layer's pass takes as long as its kernels or as the host that issues them", "[architecture]") {
  LayerWork layer;
  Kernel kernel;
  kernel.bytes = 1_GB;  // 10 ms
  layer.forward = {kernel, kernel};
  layer.backward = {kernel};
  layer.forward_operations = layer.backward_operations = 2;
  Device device = unit_device();
  device.layer_overhead = 1_ms;
  CHECK(forward_time(layer, device, roofline).value == Approx(0.021));
  CHECK(backward_time(layer, device, roofline).value == Approx(0.011));
  device.dispatch = 8_ms;
  CHECK(forward_time(layer, device, roofline).value == Approx(0.021));
  CHECK(backward_time(layer, device, roofline).value == Approx(0.017));
}

TEST_CASE("a convolution's flops are those of its window, forward, and twice backward but for the first layer",
          "[architecture]") {
  CnnShape shape;
  shape.name = "small";
  shape.image_size = 8;
  CnnLayer convolution;
  convolution.channels = 16;
  convolution.kernel = 3;
  convolution.padding = 1;
  CnnLayer classes;
  classes.kind = CnnKind::linear;
  classes.channels = 10;
  classes.relu = false;
  shape.layers = {convolution, convolution, classes};
  const auto model = cnn(shape);
  CHECK(model->parameters() == 16 * 3 * 9 + 16 + 16 * 16 * 9 + 16 + 16 * 64 * 10 + 10);
  const StepPlan plan = model->step_plan({5, 0}, Precision::fp32, Recompute::none);
  const double first = 2.0 * 5 * 64 * 16 * 27, second = 2.0 * 5 * 64 * 16 * 144;
  CHECK(flops(plan.layers[0].forward).value == first);
  CHECK(flops(plan.layers[0].backward).value == first);
  CHECK(flops(plan.layers[1].forward).value == second);
  CHECK(flops(plan.layers[1].backward).value == 2 * second);
  CHECK(plan.model_flops.value == 2 * first + 3 * (second + 2.0 * 5 * 1024 * 10));
  CHECK(plan.hardware_flops.value == plan.model_flops.value);
}
