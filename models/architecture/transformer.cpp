// A transformer layer as the kernels that frameworks launch for it, and what it keeps for the backward pass:
// Vaswani et al., Attention Is All You Need, 2017; Korthikanti et al., Reducing Activation Recomputation in Large
// Transformer Models, 2022, equations 1-2.
#include "models/architecture/transformer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "models/architecture/kernels.hpp"
#include "models/architecture/transformer_parameters.hpp"
#include "models/base/error.hpp"

namespace models {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

constexpr Bytes mask_element = 1_B;       // dropout masks are bytes
constexpr Bytes statistic_element = 4_B;  // softmax statistics and losses are fp32
// Default of PyTorch's cuBLAS handles: 2 x 4096 KiB + 8 x 16 KiB (CUBLAS_WORKSPACE_CONFIG, PyTorch 2.1).
constexpr Bytes cublas_workspace = 8320_KiB;

// One micro-batch of a shape: sizes that its kernels share.
struct Sizes {
  const TransformerShape& shape;
  Precision precision;
  std::int64_t samples, sequence, tokens;
  Bytes element;
  double hidden, qkv, mlp, scores;  // elements of the tensors: t x h, t x (q + 2 kv), t x f, b x a x s x s

  Sizes(const TransformerShape& s, const BatchShape& batch, Precision p)
      : shape(s),
        precision(p),
        samples(batch.samples),
        sequence(batch.sequence_length),
        tokens(samples * sequence),
        element(element_size(p)),
        hidden(real(tokens) * real(s.hidden_size)),
        qkv(real(tokens) * real(qkv_width(s))),
        mlp(real(tokens) * real(s.intermediate_size)),
        scores(real(samples * s.num_attention_heads) * real(sequence) * real(sequence)) {}

  Kernel pass(const char* name, double elements) const { return elementwise(name, elements * element, precision); }
  AttentionShape attention() const {
    return {samples,
            sequence,
            shape.num_attention_heads,
            shape.num_key_value_heads,
            shape.head_dim,
            shape.causal ? Mask::causal : Mask::none,
            precision};
  }
  // Reads and writes `elements`, and a mask.
  Kernel dropout(const char* name, double elements) const {
    return elementwise(name, elements * (2.0 * element + mask_element), precision);
  }
};

void add(std::vector<Kernel>& kernels, const std::vector<Kernel>& more) {
  kernels.insert(kernels.end(), more.begin(), more.end());
}

// Scores, softmax and dropout: what selective recomputation repeats.
void add_scores(std::vector<Kernel>& kernels, const Sizes& z) {
  const std::int64_t heads = z.samples * z.shape.num_attention_heads;
  kernels.push_back(gemm("attention_scores", z.sequence, z.sequence, z.shape.head_dim, z.precision, heads));
  kernels.push_back(z.pass("softmax", 2.0 * z.scores));
  if (z.shape.dropout) kernels.push_back(z.dropout("attention_dropout", z.scores));
}

void add_attention(std::vector<Kernel>& kernels, const Sizes& z) {
  if (z.shape.attention == Attention::flash) {
    kernels.push_back(fused_attention("fused_attention", z.attention(), AttentionPass::forward));
    return;
  }
  add_scores(kernels, z);
  kernels.push_back(gemm("attention_context", z.sequence, z.shape.head_dim, z.sequence, z.precision,
                         z.samples * z.shape.num_attention_heads));
}

// Bias gradients are sums over tokens.
void add_attention_backward(std::vector<Kernel>& kernels, const Sizes& z) {
  if (z.shape.attention == Attention::flash) {
    kernels.push_back(fused_attention("fused_attention_gradient", z.attention(), AttentionPass::backward));
    return;
  }
  const std::int64_t heads = z.samples * z.shape.num_attention_heads;
  add_gemm_backward(kernels, z.sequence, z.shape.head_dim, z.sequence, z.precision, heads);
  if (z.shape.dropout) kernels.push_back(z.dropout("attention_dropout_gradient", z.scores));
  kernels.push_back(z.pass("softmax_gradient", 3.0 * z.scores));
  add_gemm_backward(kernels, z.sequence, z.sequence, z.shape.head_dim, z.precision, heads);
}

std::vector<Kernel> block_forward(const Sizes& z) {
  const TransformerShape& shape = z.shape;
  const double query = real(z.tokens) * real(query_width(shape));
  std::vector<Kernel> kernels;
  kernels.push_back(z.pass("norm", 2.0 * z.hidden));
  kernels.push_back(gemm("qkv", z.tokens, qkv_width(shape), shape.hidden_size, z.precision));
  if (shape.positions == Positions::rotary)
    kernels.push_back(z.pass("rotary", 2.0 * (z.qkv - real(z.tokens) * real(key_width(shape)))));
  else
    kernels.push_back(z.pass("split_heads", 2.0 * z.qkv));
  add_attention(kernels, z);
  kernels.push_back(z.pass("merge_heads", 2.0 * query));
  kernels.push_back(gemm("attention_output", z.tokens, shape.hidden_size, query_width(shape), z.precision));
  if (shape.dropout) kernels.push_back(z.dropout("dropout", z.hidden));
  kernels.push_back(z.pass("residual", 3.0 * z.hidden));
  kernels.push_back(z.pass("norm", 2.0 * z.hidden));
  kernels.push_back(
      gemm("mlp_up", z.tokens, (shape.gated_mlp ? 2 : 1) * shape.intermediate_size, shape.hidden_size, z.precision));
  kernels.push_back(z.pass("activation", (shape.gated_mlp ? 3.0 : 2.0) * z.mlp));
  kernels.push_back(gemm("mlp_down", z.tokens, shape.hidden_size, shape.intermediate_size, z.precision));
  if (shape.dropout) kernels.push_back(z.dropout("dropout", z.hidden));
  kernels.push_back(z.pass("residual", 3.0 * z.hidden));
  return kernels;
}

std::vector<Kernel> block_backward(const Sizes& z) {
  const TransformerShape& shape = z.shape;
  const double query = real(z.tokens) * real(query_width(shape));
  const std::int64_t up = (shape.gated_mlp ? 2 : 1) * shape.intermediate_size;
  std::vector<Kernel> kernels;
  if (shape.dropout) kernels.push_back(z.dropout("dropout_gradient", z.hidden));
  add_gemm_backward(kernels, z.tokens, shape.hidden_size, shape.intermediate_size, z.precision);
  kernels.push_back(z.pass("activation_gradient", (shape.gated_mlp ? 5.0 : 3.0) * z.mlp));
  add_gemm_backward(kernels, z.tokens, up, shape.hidden_size, z.precision);
  if (shape.biases == Biases::all)
    kernels.push_back(z.pass("bias_gradient", real(z.tokens) * real(up + 2 * shape.hidden_size)));
  kernels.push_back(z.pass("norm_gradient", 5.0 * z.hidden));  // input's gradient, then the sums for scale and shift
  kernels.push_back(z.pass("residual_gradient", 3.0 * z.hidden));
  if (shape.dropout) kernels.push_back(z.dropout("dropout_gradient", z.hidden));
  add_gemm_backward(kernels, z.tokens, shape.hidden_size, query_width(shape), z.precision);
  kernels.push_back(z.pass("merge_heads_gradient", 2.0 * query));
  add_attention_backward(kernels, z);
  kernels.push_back(z.pass("split_heads_gradient", 2.0 * z.qkv));
  add_gemm_backward(kernels, z.tokens, qkv_width(shape), shape.hidden_size, z.precision);
  if (shape.biases != Biases::none) kernels.push_back(z.pass("bias_gradient", z.qkv));
  kernels.push_back(z.pass("norm_gradient", 5.0 * z.hidden));
  kernels.push_back(z.pass("residual_gradient", 3.0 * z.hidden));
  kernels.push_back(z.pass("accumulate_gradients", 3.0 * real(block_parameters(shape))));
  return kernels;
}

// Korthikanti 2022, equation 1, for any head count and width: 34 sbh + 5 as^2 b at 2-byte elements, f = 4h, dropout,
// unfused attention.
Bytes block_activations(const Sizes& z, Recompute recompute) {
  if (recompute == Recompute::full) return z.hidden * z.element;
  const TransformerShape& shape = z.shape;
  const double query = real(z.tokens) * real(query_width(shape));
  Bytes kept = (4.0 * z.hidden + z.qkv + query) * z.element;  // inputs of two norms and two GEMMs; q, k, v; context
  kept += (shape.gated_mlp ? 3.0 : 2.0) * z.mlp * z.element;
  if (shape.dropout) kept += 2.0 * z.hidden * mask_element;
  if (shape.attention == Attention::flash)
    kept += real(z.tokens * shape.num_attention_heads) * statistic_element;
  else if (recompute == Recompute::none)
    kept += z.scores * (shape.dropout ? 2.0 * z.element + mask_element : z.element);
  return kept;
}

LayerWork block(const Sizes& z, Recompute recompute, std::int64_t index) {
  LayerWork layer;
  layer.name = "block " + std::to_string(index);
  layer.parameters = block_parameters(z.shape);
  layer.forward = block_forward(z);
  if (recompute == Recompute::full) layer.backward = layer.forward;
  if (recompute == Recompute::selective && z.shape.attention == Attention::unfused) add_scores(layer.backward, z);
  layer.backward_operations = static_cast<double>(layer.backward.size() + layer.forward.size());
  add(layer.backward, block_backward(z));
  layer.forward_operations = static_cast<double>(layer.forward.size());
  layer.activations = block_activations(z, recompute);
  return layer;
}

LayerWork embedding(const Sizes& z) {
  const TransformerShape& shape = z.shape;
  LayerWork layer;
  layer.name = "embedding";
  layer.parameters = embedding_parameters(shape);
  layer.forward.push_back(z.pass("embedding", 2.0 * z.hidden));
  if (shape.positions == Positions::learned) layer.forward.push_back(z.pass("add_positions", 3.0 * z.hidden));
  if (shape.embedding_norm) layer.forward.push_back(z.pass("norm", 2.0 * z.hidden));
  if (shape.dropout) layer.forward.push_back(z.dropout("dropout", z.hidden));
  if (shape.dropout) layer.backward.push_back(z.dropout("dropout_gradient", z.hidden));
  if (shape.embedding_norm) layer.backward.push_back(z.pass("norm_gradient", 5.0 * z.hidden));
  layer.backward.push_back(z.pass("embedding_gradient", 3.0 * z.hidden + real(layer.parameters)));
  layer.backward.push_back(z.pass("accumulate_gradients", 3.0 * real(layer.parameters)));
  layer.forward_operations = layer.backward_operations = static_cast<double>(layer.forward.size());
  if (shape.embedding_norm) layer.activations += z.hidden * z.element;
  if (shape.dropout) layer.activations += z.hidden * mask_element;
  return layer;
}

std::int64_t predicted_tokens(const Sizes& z) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(real(z.tokens) * z.shape.predicted_share + 0.5));
}

LayerWork head(const Sizes& z) {
  const TransformerShape& shape = z.shape;
  const std::int64_t h = shape.hidden_size;
  const std::int64_t predicted = predicted_tokens(z);
  const double transformed = real(predicted) * real(h);
  const double logits = real(predicted) * real(shape.vocab_size);
  LayerWork layer;
  layer.name = "head";
  layer.parameters = head_parameters(shape);
  if (shape.final_norm) layer.forward.push_back(z.pass("norm", 2.0 * z.hidden));
  if (shape.head == Head::bert_pretraining) {
    layer.forward.push_back(gemm("transform", predicted, h, h, z.precision));
    layer.forward.push_back(z.pass("activation", 2.0 * transformed));
    layer.forward.push_back(z.pass("norm", 2.0 * transformed));
  }
  layer.forward.push_back(gemm("logits", predicted, shape.vocab_size, h, z.precision));
  // The loss works on an fp32 copy: one pass to log-probabilities, one back.
  layer.forward.push_back(elementwise("loss", logits * (z.element + statistic_element), Precision::fp32));
  layer.backward.push_back(elementwise("loss_gradient", logits * (z.element + statistic_element), Precision::fp32));
  add_gemm_backward(layer.backward, predicted, shape.vocab_size, h, z.precision);
  if (shape.head == Head::bert_pretraining) {
    layer.backward.push_back(z.pass("norm_gradient", 5.0 * transformed));
    layer.backward.push_back(z.pass("activation_gradient", 3.0 * transformed));
    add_gemm_backward(layer.backward, predicted, h, h, z.precision);
  }
  if (shape.final_norm) layer.backward.push_back(z.pass("norm_gradient", 5.0 * z.hidden));
  layer.backward.push_back(z.pass("accumulate_gradients", 3.0 * real(shape.vocab_size) * real(h)));
  layer.forward_operations = layer.backward_operations = static_cast<double>(layer.forward.size());
  layer.activations = (shape.final_norm ? 2.0 : 1.0) * z.hidden * z.element;
  if (shape.head == Head::bert_pretraining) layer.activations += 3.0 * transformed * z.element;
  return layer;
}

// 6 N per token, and two products of s x s scores per head and layer in each of three passes: Chowdhery et al., PaLM,
// 2022, appendix B. N counts the weights that a token is multiplied with: tables that are looked up, norms and biases
// take no product, and the output layer sees the predicted tokens only.
Flops model_flops(const Sizes& z) {
  const TransformerShape& shape = z.shape;
  const double h = real(shape.hidden_size), mlp_products = shape.gated_mlp ? 3.0 : 2.0;
  const double block_weights =
      h * real(qkv_width(shape) + query_width(shape)) + mlp_products * h * real(shape.intermediate_size);
  const double head_weights = h * (real(shape.vocab_size) + (shape.head == Head::bert_pretraining ? h : 0.0));
  const double products =
      real(z.tokens) * real(shape.num_layers) * block_weights + real(predicted_tokens(z)) * head_weights;
  const double attention = 12.0 * real(shape.num_layers) * z.scores * real(shape.head_dim) * (shape.causal ? 0.5 : 1.0);
  return Flops{6.0 * products + attention};
}

class Transformer final : public Architecture {
 public:
  explicit Transformer(TransformerShape shape) : shape_(std::move(shape)) {}
  const std::string& name() const override { return shape_.name; }
  std::int64_t parameters() const override {
    return embedding_parameters(shape_) + shape_.num_layers * block_parameters(shape_) + head_parameters(shape_);
  }
  std::int64_t default_sequence_length() const override { return shape_.sequence_length; }
  std::int64_t maximum_sequence_length() const override { return shape_.max_position_embeddings; }

  StepPlan step_plan(const BatchShape& batch, Precision precision, Recompute recompute) const override {
    ensure(batch.samples > 0 && batch.sequence_length >= 0, "a batch has samples");
    BatchShape whole = batch;
    if (whole.sequence_length == 0) whole.sequence_length = shape_.sequence_length;
    const Sizes z(shape_, whole, precision);
    StepPlan plan;
    plan.layers.push_back(embedding(z));
    for (std::int64_t i = 0; i < shape_.num_layers; ++i) plan.layers.push_back(block(z, recompute, i));
    plan.layers.push_back(head(z));
    finish(plan);
    plan.tokens = z.tokens;
    plan.model_flops = model_flops(z);
    // Logits, their fp32 probabilities and their gradient at once.
    plan.logits = real(predicted_tokens(z)) * real(shape_.vocab_size) * (2.0 * z.element + statistic_element);
    // Gradients of the widest activation and its input; with full recomputation also one layer's rebuilt activations.
    const double widest = std::max(z.mlp, shape_.attention == Attention::unfused ? z.scores : 0.0);
    plan.workspace = cublas_workspace + 2.0 * widest * z.element;
    if (recompute == Recompute::full) plan.workspace += block_activations(z, Recompute::none);
    return plan;
  }

 private:
  TransformerShape shape_;
};

}  // namespace

std::unique_ptr<const Architecture> transformer(TransformerShape shape) {
  return std::make_unique<Transformer>(std::move(shape));
}

}  // namespace models
