#include "models/architecture/kernels.hpp"

namespace models {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

Kernel matrix_product(const char* name, KernelKind kind, std::int64_t m, std::int64_t n, std::int64_t k,
                      Precision precision, std::int64_t batch) {
  Kernel kernel;
  kernel.name = name;
  kernel.kind = kind;
  kernel.precision = precision;
  kernel.m = m;
  kernel.n = n;
  kernel.k = k;
  kernel.batch = batch;
  kernel.flops = Flops{2.0 * real(batch) * real(m) * real(n) * real(k)};
  kernel.bytes = real(batch) * (real(m) * real(k) + real(k) * real(n) + real(m) * real(n)) * element_size(precision);
  return kernel;
}

double images(const Convolution& shape, std::int64_t samples) {
  return real(samples) * (real(shape.in_channels) * real(shape.in_size) * real(shape.in_size) +
                          real(shape.out_channels) * real(shape.out_size) * real(shape.out_size));
}

Kernel implicit_gemm(const char* name, const Convolution& shape, std::int64_t samples, std::int64_t m, std::int64_t n,
                     std::int64_t k, Precision precision) {
  Kernel kernel = matrix_product(name, KernelKind::convolution, m, n, k, precision, shape.groups);
  const double weights =
      real(shape.out_channels) * real(shape.in_channels / shape.groups) * real(shape.kernel) * real(shape.kernel);
  kernel.bytes = (images(shape, samples) + weights) * element_size(precision);
  return kernel;
}

}  // namespace

Kernel gemm(const char* name, std::int64_t m, std::int64_t n, std::int64_t k, Precision precision, std::int64_t batch) {
  return matrix_product(name, KernelKind::gemm, m, n, k, precision, batch);
}

void add_gemm_backward(std::vector<Kernel>& kernels, std::int64_t m, std::int64_t n, std::int64_t k,
                       Precision precision, std::int64_t batch) {
  kernels.push_back(gemm("gemm_input_gradient", m, k, n, precision, batch));
  kernels.push_back(gemm("gemm_weight_gradient", k, n, m, precision, batch));
}

Kernel elementwise(const char* name, Bytes bytes, Precision precision) {
  Kernel kernel;
  kernel.name = name;
  kernel.kind = KernelKind::elementwise;
  kernel.precision = precision;
  kernel.bytes = bytes;
  return kernel;
}

Kernel fused_attention(const char* name, const AttentionShape& shape, AttentionPass pass) {
  const double products = pass == AttentionPass::forward ? 2.0 : 5.0;
  Kernel kernel;
  kernel.name = name;
  kernel.kind = KernelKind::attention;
  kernel.precision = shape.precision;
  kernel.m = kernel.n = shape.sequence;
  kernel.k = shape.head_dim;
  kernel.batch = shape.samples * shape.heads;
  // Causal kernels skip the upper half: FlashAttention-2, section 3.1.
  const double scores =
      real(kernel.batch) * real(shape.sequence) * real(shape.sequence) * (shape.mask == Mask::causal ? 0.5 : 1.0);
  kernel.flops = Flops{products * 2.0 * scores * real(shape.head_dim)};
  const double tensors =
      real(shape.samples * shape.sequence) * real(2 * (shape.heads + shape.key_value_heads)) * real(shape.head_dim);
  kernel.bytes = products / 2.0 * tensors * element_size(shape.precision);
  return kernel;
}

Kernel convolution(const char* name, const Convolution& shape, std::int64_t samples, Precision precision) {
  return implicit_gemm(name, shape, samples, samples * shape.out_size * shape.out_size,
                       shape.out_channels / shape.groups,
                       shape.kernel * shape.kernel * shape.in_channels / shape.groups, precision);
}

void add_convolution_backward(std::vector<Kernel>& kernels, const Convolution& shape, std::int64_t samples,
                              Precision precision, Position position) {
  const std::int64_t pixels = samples * shape.out_size * shape.out_size;
  const std::int64_t out = shape.out_channels / shape.groups;
  const std::int64_t window = shape.kernel * shape.kernel * shape.in_channels / shape.groups;
  if (position == Position::inner)
    kernels.push_back(implicit_gemm("convolution_input_gradient", shape, samples, pixels, window, out, precision));
  kernels.push_back(implicit_gemm("convolution_weight_gradient", shape, samples, window, out, pixels, precision));
}

void finish(StepPlan& plan) {
  plan.parameters = 0;
  plan.hardware_flops = {};
  for (const LayerWork& layer : plan.layers) {
    plan.parameters += layer.parameters;
    for (const Kernel& kernel : layer.forward) plan.hardware_flops += kernel.flops * kernel.repeats;
    for (const Kernel& kernel : layer.backward) plan.hardware_flops += kernel.flops * kernel.repeats;
  }
}

}  // namespace models
