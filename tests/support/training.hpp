#pragma once
// A small world, a model of equal layers, a noisy quadratic and plain synchronous descent: training jobs whose times
// can be worked out by hand.

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/algorithm/algorithm.hpp"
#include "sim/program/program.hpp"

namespace support {

// GPUs around a switch that does not block; a route is two links. Node = GPU.
inline topologies::World star_world(int hosts, models::BytesPerSecond bandwidth, models::Seconds latency = {}) {
  topologies::World world;
  topologies::LinkProperties link;
  link.name = "link";
  link.bandwidth = bandwidth;
  link.latency = latency / 2.0;
  const std::int32_t properties = world.fabric.add_properties(link);
  const topologies::VertexId middle = world.fabric.add_switch("switch");
  for (int host = 0; host < hosts; ++host) {
    world.fabric.connect(world.fabric.add_host("gpu" + std::to_string(host)), middle, properties);
    world.node.push_back(host);
    world.device.push_back(0);
  }
  models::Device device;
  device.name = "test_gpu";
  device.memory = models::Bytes{16e9};
  for (models::FlopsPerSecond& peak : device.peak) peak = models::FlopsPerSecond{1e12};
  world.devices.push_back(device);
  return world;
}

// `layers` layers of `parameters` each; 1 ms forward and 2 ms backward per layer and sample at 1e12 flop/s.
class EqualLayers final : public models::Architecture {
 public:
  EqualLayers(int layers, std::int64_t parameters) : layers_(layers), parameters_(parameters) {}
  const std::string& name() const override { return name_; }
  std::int64_t parameters() const override { return layers_ * parameters_; }
  std::int64_t default_sequence_length() const override { return 0; }
  std::int64_t maximum_sequence_length() const override { return 0; }
  models::StepPlan step_plan(const models::BatchShape& batch, models::Precision, models::Recompute) const override {
    models::StepPlan plan;
    for (int i = 0; i < layers_; ++i) {
      models::LayerWork layer;
      layer.name = "layer " + std::to_string(i);
      layer.parameters = parameters_;
      models::Kernel kernel;
      kernel.name = "layer";
      kernel.flops = models::Flops{1e9 * static_cast<double>(batch.samples)};
      layer.forward = {kernel};
      layer.backward = {kernel, kernel};
      layer.activations = models::Bytes{1e6 * static_cast<double>(batch.samples)};
      plan.layers.push_back(layer);
    }
    plan.parameters = parameters();
    plan.model_flops = plan.hardware_flops = models::Flops{3e9 * static_cast<double>(layers_ * batch.samples)};
    plan.logits = models::Bytes{5e5};
    return plan;
  }

 private:
  int layers_;
  std::int64_t parameters_;
  std::string name_ = "equal_layers";
};

// f(x) = 1/2 sum_i h_i x_i^2 with h rising from 0.1 to 1, gradients with additive noise; start at 1.
class NoisyQuadratic final : public models::Objective {
 public:
  NoisyQuadratic(std::int64_t dimension, std::uint64_t seed, float noise)
      : dimension_(dimension), seed_(seed), noise_(noise) {}
  std::int64_t dimension() const override { return dimension_; }
  void start(std::span<float> weights) const override { std::fill(weights.begin(), weights.end(), 1.0F); }
  double loss(std::span<const float> weights) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      sum +=
          0.5 * static_cast<double>(curvature(i)) * static_cast<double>(weights[i]) * static_cast<double>(weights[i]);
    return sum;
  }
  std::optional<double> optimum() const override { return 0.0; }
  void gradient(std::span<const float> weights, const models::Sample& sample, std::span<float> out) const override {
    models::Stream stream(seed_, models::Purpose::data_noise, static_cast<std::uint32_t>(sample.worker),
                          static_cast<std::uint32_t>(sample.step), static_cast<std::uint32_t>(sample.micro_batch));
    stream.fill_uniform(out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = curvature(i) * weights[i] + noise_ * (out[i] - 0.5F);
  }
  std::string axis() const override { return "gap of noisy_quadratic"; }

 private:
  float curvature(std::size_t i) const { return 0.1F + 0.9F * static_cast<float>(i) / static_cast<float>(dimension_); }
  std::int64_t dimension_;
  std::uint64_t seed_;
  float noise_;
};

// Synchronous gradient descent: every bucket is averaged as soon as it is ready. After `switch_at` steps the messages
// are a tenth as long.
class Descent final : public models::Algorithm {
 public:
  Descent(float rate, std::int64_t switch_at) : rate_(rate), switch_at_(switch_at) {}

  models::Task run(models::Worker& self) override {
    for (std::int64_t step = 0; step < self.steps(); step = self.next_step(step)) {
      if (step == 0) self.phase("long messages", std::min(switch_at_, self.steps()));
      if (step == switch_at_) self.phase("short messages", self.steps());
      self.begin_step(step);
      std::vector<models::Operation> sums;
      for (;;) {
        const models::Outcome ready = co_await self.next_bucket();
        if (ready.item < 0) break;
        const models::Bucket& bucket = self.layout().buckets[static_cast<std::size_t>(ready.item)];
        models::CollectiveCall call;
        call.name = "gradient";
        call.elements = step < switch_at_ ? bucket.full_parameters : bucket.full_parameters / 10;
        call.element_size = models::element_size(self.precision());
        std::span<float> numbers;
        if (self.learning())
          numbers = self.gradient().subspan(static_cast<std::size_t>(bucket.numeric_begin),
                                            static_cast<std::size_t>(bucket.numeric_count));
        sums.push_back(self.all_reduce(call, numbers, models::Average::mean));
      }
      models::Operation all = self.all(sums);
      co_await all;
      models::Kernel update;
      update.name = "update";
      update.kind = models::KernelKind::optimizer;
      update.flops = models::Flops{5e8};
      models::Work work = [this, &self] {
        const std::span<float> weights = self.weights(), gradient = self.gradient();
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= rate_ * gradient[i];
      };
      models::Operation updated = self.compute(update, std::move(work));
      co_await updated;
      models::Operation ended = self.end_step(step);
      const models::Outcome end = co_await ended;
      if (end.item == 1) break;
    }
  }
  std::vector<models::Buffer> buffers(const models::Layout& layout, const models::Group&) const override {
    return {{models::MemoryCategory::optimizer_state, models::Bytes{8.0 * static_cast<double>(layout.full_parameters)},
             models::Lifetime::run},
            {models::MemoryCategory::communication_buffers, models::Bytes{3e6}, models::Lifetime::exchange}};
  }

 private:
  float rate_;
  std::int64_t switch_at_;
};

// Like Descent without numbers, but one rank leaves out the reduction of the last step.
class Forgetful final : public models::Algorithm {
 public:
  explicit Forgetful(int forgetful_rank) : forgetful_rank_(forgetful_rank) {}

  models::Task run(models::Worker& self) override {
    for (std::int64_t step = 0; step < self.steps(); ++step) {
      self.begin_step(step);
      for (;;) {
        const models::Outcome ready = co_await self.next_bucket();
        if (ready.item < 0) break;
      }
      models::CollectiveCall call;
      call.name = "gradient";
      call.elements = self.layout().full_parameters;
      call.element_size = models::element_size(self.precision());
      if (step + 1 < self.steps() || self.member() != forgetful_rank_) {
        models::Operation reduced = self.all_reduce(call, {}, models::Average::mean);
        co_await reduced;
      }
      models::Operation ended = self.end_step(step);
      co_await ended;
    }
  }
  std::vector<models::Buffer> buffers(const models::Layout&, const models::Group&) const override { return {}; }

 private:
  int forgetful_rank_;
};

// Rank 1 calls its two reductions in the other order.
class Contrary final : public models::Algorithm {
 public:
  models::Task run(models::Worker& self) override {
    for (std::int64_t step = 0; step < self.steps(); ++step) {
      self.begin_step(step);
      std::vector<models::Operation> sums;
      for (int i = 0; i < 2; ++i) {
        models::CollectiveCall call;
        call.name = (i == 0) == (self.member() != 1) ? "first" : "second";
        call.elements = 1'000'000;
        call.element_size = models::element_size(self.precision());
        sums.push_back(self.all_reduce(call, {}, models::Average::mean));
      }
      models::Operation all = self.all(sums);
      co_await all;
      models::Operation ended = self.end_step(step);
      co_await ended;
    }
  }
  std::vector<models::Buffer> buffers(const models::Layout&, const models::Group&) const override { return {}; }
};

struct DescentOptions {
  int layers = 4;
  std::int64_t parameters = 1'000'000;  // per layer
  std::int64_t steps = 5, switch_at = 1'000'000;
  float rate = 0.1F, noise = 0.01F;
};
// fp32, one layer a bucket, one sample a rank, no learning.
inline sim::TrainingJob descent_job(const DescentOptions& options = {}) {
  sim::TrainingJob job;
  job.model = std::make_shared<EqualLayers>(options.layers, options.parameters);
  job.precision = models::Precision::fp32;
  job.bucket = models::Bytes{1.0};
  job.steps = options.steps;
  job.algorithm_name = "descent";
  job.algorithm.place = {"job.yaml", 7, 14, ""};
  job.algorithm.value.make = [options](const models::Layout&, int, std::int64_t) {
    return std::make_unique<Descent>(options.rate, options.switch_at);
  };
  job.cost_model = [](const models::Kernel& kernel, const models::Device&) {
    return kernel.flops / models::FlopsPerSecond{1e12};
  };
  job.memory_place = {"job.yaml", 5, 3, ""};
  return job;
}

inline void learn(sim::TrainingJob& job, std::int64_t dimension, float noise = 0.01F) {
  sim::Learning learning;
  learning.dimension = learning.objective.dimension = dimension;
  learning.objective.make = [dimension, noise](const models::ObjectiveWorld& world) {
    return std::make_unique<NoisyQuadratic>(dimension, world.seed, noise);
  };
  job.learning = learning;
}

}  // namespace support
