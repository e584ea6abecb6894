// Convolutional networks as frameworks run them: convolution (implicit GEMM), batch norm, ReLU, pooling, each its own
// kernels. Bottleneck blocks: He et al., Deep Residual Learning, 2016, with the stride on the 3 x 3 convolution as
// torchvision and ResNet v1.5 have it.
#include "models/architecture/cnn.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "models/base/error.hpp"

namespace models {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

// Default of PyTorch's cuDNN autotuning has no cap; 1 GiB covers its choices for these networks' shapes at the usual
// batches (cudnnGetConvolutionForwardWorkspaceSize, cuDNN 8 developer guide).
constexpr Bytes cudnn_workspace = 1_GiB;

std::int64_t image_after(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return (size + 2 * padding - kernel) / stride + 1;
}

// Walks through the network; knows the image between layers.
class Expansion {
 public:
  Expansion(const CnnShape& shape, std::int64_t samples, Precision precision, Recompute recompute)
      : samples_(samples),
        precision_(precision),
        recompute_(recompute),
        size_(shape.image_size),
        channels_(shape.image_channels) {
    for (const CnnLayer& layer : shape.layers) expand(layer);
  }
  std::vector<LayerWork> take() { return std::move(layers_); }

 private:
  enum class Join { none, residual };

  void expand(const CnnLayer& layer) {
    switch (layer.kind) {
      case CnnKind::convolution:
        for (std::int64_t i = 0; i < layer.count; ++i) convolve("convolution", layer, size_, channels_, Join::none);
        break;
      case CnnKind::bottlenecks:
        for (std::int64_t i = 0; i < layer.count; ++i) bottleneck(layer.channels, i == 0 ? layer.stride : 1, i == 0);
        break;
      case CnnKind::max_pool:
        pool(image_after(size_, layer.kernel, layer.stride, layer.padding));
        break;
      case CnnKind::average_pool:
        pool(layer.size);
        break;
      case CnnKind::linear:
        for (std::int64_t i = 0; i < layer.count; ++i) linear(layer);
        break;
    }
  }

  void bottleneck(std::int64_t width, std::int64_t stride, bool projects) {
    constexpr std::int64_t expansion = 4;
    const std::int64_t in_size = size_, in_channels = channels_;
    CnnLayer layer;
    layer.batch_norm = true;
    layer.bias = false;
    layer.channels = width;
    convolve("bottleneck reduce", layer, size_, channels_, Join::none);
    layer.kernel = 3;
    layer.padding = 1;
    layer.stride = stride;
    convolve("bottleneck 3x3", layer, size_, channels_, Join::none);
    layer.kernel = 1;
    layer.padding = 0;
    layer.stride = 1;
    layer.channels = expansion * width;
    if (projects) {
      const std::int64_t size = size_, channels = channels_;
      CnnLayer projection = layer;
      projection.stride = stride;
      projection.relu = false;
      convolve("bottleneck projection", projection, in_size, in_channels, Join::none);
      size_ = size;
      channels_ = channels;
    }
    convolve("bottleneck expand", layer, size_, channels_, Join::residual);
  }

  void convolve(const char* name, const CnnLayer& layer, std::int64_t in_size, std::int64_t in_channels, Join join) {
    Convolution shape;
    shape.in_channels = in_channels;
    shape.out_channels = layer.channels;
    shape.kernel = layer.kernel;
    shape.in_size = in_size;
    shape.out_size = image_after(in_size, layer.kernel, layer.stride, layer.padding);
    LayerWork work;
    work.name = std::string(name) + " " + std::to_string(layers_.size());
    work.parameters = layer.channels * in_channels * layer.kernel * layer.kernel + (layer.bias ? layer.channels : 0) +
                      (layer.batch_norm ? 2 * layer.channels : 0);
    work.forward.push_back(convolution("convolution", shape, samples_, precision_));
    add_convolution_backward(work.backward, shape, samples_, precision_,
                             layers_.empty() ? Position::first : Position::inner);
    const double out = real(samples_ * layer.channels) * real(shape.out_size) * real(shape.out_size);
    add_tail(work, layer, out, join);
    size_ = shape.out_size;
    channels_ = layer.channels;
    layers_.push_back(std::move(work));
  }

  // Norm, join with the residual, ReLU; what is kept for the backward pass.
  void add_tail(LayerWork& work, const CnnLayer& layer, double out, Join join) {
    std::vector<Kernel> tail, tail_backward;
    if (layer.relu) tail_backward.push_back(pass("relu_gradient", 3.0 * out));
    if (join == Join::residual) {
      tail.push_back(pass("residual", 3.0 * out));
      tail_backward.push_back(pass("residual_gradient", 3.0 * out));
    }
    if (layer.batch_norm) {
      tail.insert(tail.begin(), pass("batch_norm", 3.0 * out));  // statistics, then the scaling
      tail_backward.push_back(pass("batch_norm_gradient", 5.0 * out));
    }
    if (layer.relu) tail.push_back(pass("relu", 2.0 * out));
    close(work, tail, tail_backward, (layer.batch_norm ? 2.0 : 1.0) * out, out);
  }

  // Full recomputation repeats the layer from its kept output of the layer before; selective repeats all but the
  // product.
  void close(LayerWork& work, const std::vector<Kernel>& tail, const std::vector<Kernel>& tail_backward, double kept,
             double out) {
    work.forward.insert(work.forward.end(), tail.begin(), tail.end());
    work.forward_operations = work.backward_operations = static_cast<double>(work.forward.size());
    work.backward.insert(work.backward.begin(), tail_backward.begin(), tail_backward.end());
    std::vector<Kernel> again;
    if (recompute_ == Recompute::full) again = work.forward;
    if (recompute_ == Recompute::selective) again = tail;
    work.backward_operations += static_cast<double>(again.size());
    work.backward.insert(work.backward.begin(), again.begin(), again.end());
    work.activations = (recompute_ == Recompute::none ? kept : out) * element_size(precision_);
  }

  // Without parameters: part of the layer before.
  void pool(std::int64_t out_size) {
    ensure(!layers_.empty(), "a pooling layer follows another layer");
    LayerWork& work = layers_.back();
    const double in = real(samples_ * channels_) * real(size_) * real(size_);
    const double out = real(samples_ * channels_) * real(out_size) * real(out_size);
    work.forward.push_back(pass("pool", in + out));
    work.backward.insert(work.backward.begin(), pass("pool_gradient", in + out));
    work.forward_operations += 1.0;
    work.backward_operations += 1.0;
    work.activations += out * element_size(precision_);
    size_ = out_size;
  }

  void linear(const CnnLayer& layer) {
    const std::int64_t inputs = channels_ * size_ * size_;
    LayerWork work;
    work.name = "linear " + std::to_string(layers_.size());
    work.parameters = inputs * layer.channels + (layer.bias ? layer.channels : 0);
    work.forward.push_back(gemm("linear", samples_, layer.channels, inputs, precision_));
    add_gemm_backward(work.backward, samples_, layer.channels, inputs, precision_);
    CnnLayer tail = layer;
    tail.batch_norm = false;
    add_tail(work, tail, real(samples_ * layer.channels), Join::none);
    channels_ = layer.channels;
    size_ = 1;
    layers_.push_back(std::move(work));
  }

  Kernel pass(const char* name, double elements) const {
    return elementwise(name, elements * element_size(precision_), precision_);
  }

  std::int64_t samples_;
  Precision precision_;
  Recompute recompute_;
  std::int64_t size_, channels_;
  std::vector<LayerWork> layers_;
};

class Cnn final : public Architecture {
 public:
  explicit Cnn(CnnShape shape) : shape_(std::move(shape)) {
    for (const LayerWork& layer : Expansion(shape_, 1, Precision::fp32, Recompute::none).take())
      parameters_ += layer.parameters;
  }
  const std::string& name() const override { return shape_.name; }
  std::int64_t parameters() const override { return parameters_; }
  std::int64_t default_sequence_length() const override { return 0; }
  std::int64_t maximum_sequence_length() const override { return 0; }

  StepPlan step_plan(const BatchShape& batch, Precision precision, Recompute recompute) const override {
    ensure(batch.samples > 0, "a batch has samples");
    StepPlan plan;
    plan.layers = Expansion(shape_, batch.samples, precision, recompute).take();
    finish(plan);
    Flops forward{};
    Bytes largest{};
    for (const LayerWork& layer : plan.layers) {
      for (const Kernel& kernel : layer.forward) forward += kernel.flops;
      largest = std::max(largest, layer.activations);
    }
    // Backward is twice forward, but for the images, which take no gradient.
    plan.model_flops = 3.0 * forward;
    for (const Kernel& kernel : plan.layers.front().forward) plan.model_flops -= kernel.flops;
    plan.logits = real(batch.samples) * real(shape_.layers.back().channels) * (2.0 * element_size(precision) + 4_B);
    plan.workspace = cudnn_workspace + largest;  // and the gradient of the widest activation
    return plan;
  }

 private:
  CnnShape shape_;
  std::int64_t parameters_ = 0;
};

}  // namespace

std::unique_ptr<const Architecture> cnn(CnnShape shape) { return std::make_unique<Cnn>(std::move(shape)); }

}  // namespace models
