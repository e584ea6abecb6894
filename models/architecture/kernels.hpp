#pragma once
// Kernels that architectures are made of: shapes -> flops and bytes.

#include <cstdint>
#include <vector>

#include "models/architecture/step_plan.hpp"
#include "models/device/cost_model.hpp"

namespace models {

// batch x (m x k) (k x n); every operand is read or written once.
Kernel gemm(const char* name, std::int64_t m, std::int64_t n, std::int64_t k, Precision precision,
            std::int64_t batch = 1);
// The two GEMMs behind a GEMM: gradients of its inputs and of its weights.
void add_gemm_backward(std::vector<Kernel>& kernels, std::int64_t m, std::int64_t n, std::int64_t k,
                       Precision precision, std::int64_t batch = 1);
// Bound by the memory: `bytes` read and written.
Kernel elementwise(const char* name, Bytes bytes, Precision precision);

enum class Mask { none, causal };
struct AttentionShape {
  std::int64_t samples = 1, sequence = 0, heads = 1, key_value_heads = 1, head_dim = 1;
  Mask mask = Mask::none;
  Precision precision = Precision::fp16;
};
// One kernel for scores, softmax and context; n is the sequence length. Backward recomputes the scores
// (FlashAttention-2, Dao 2023, algorithm 2).
enum class AttentionPass { forward, backward };
Kernel fused_attention(const char* name, const AttentionShape& shape, AttentionPass pass);

struct Convolution {
  std::int64_t in_channels = 0, out_channels = 0, kernel = 1;
  std::int64_t in_size = 0, out_size = 0;  // square images
  std::int64_t groups = 1;
};
// As implicit GEMM: m = samples x out_size^2, n = out_channels / groups, k = kernel^2 x in_channels / groups, once per
// group.
Kernel convolution(const char* name, const Convolution& shape, std::int64_t samples, Precision precision);
// Gradients of the input (unless the layer is the first) and of the weights.
enum class Position { first, inner };
void add_convolution_backward(std::vector<Kernel>& kernels, const Convolution& shape, std::int64_t samples,
                              Precision precision, Position position);

// Sums that a plan repeats of its layers.
void finish(StepPlan& plan);

}  // namespace models
