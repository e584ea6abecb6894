#include "models/architecture/transformer_parameters.hpp"

namespace models {
namespace {

std::int64_t norm_parameters(const TransformerShape& shape) {
  return shape.norm == Norm::layer ? 2 * shape.hidden_size : shape.hidden_size;
}

}  // namespace

std::int64_t query_width(const TransformerShape& shape) { return shape.num_attention_heads * shape.head_dim; }
std::int64_t key_width(const TransformerShape& shape) { return shape.num_key_value_heads * shape.head_dim; }
std::int64_t qkv_width(const TransformerShape& shape) { return query_width(shape) + 2 * key_width(shape); }

std::int64_t embedding_parameters(const TransformerShape& shape) {
  std::int64_t rows = shape.vocab_size + shape.token_types;
  if (shape.positions == Positions::learned) rows += shape.max_position_embeddings + shape.position_offset;
  return rows * shape.hidden_size + (shape.embedding_norm ? norm_parameters(shape) : 0);
}

std::int64_t block_parameters(const TransformerShape& shape) {
  const std::int64_t h = shape.hidden_size, f = shape.intermediate_size;
  std::int64_t count =
      h * qkv_width(shape) + query_width(shape) * h + (shape.gated_mlp ? 3 : 2) * h * f + 2 * norm_parameters(shape);
  if (shape.biases != Biases::none) count += qkv_width(shape);
  if (shape.biases == Biases::all) count += h + (shape.gated_mlp ? 2 * f : f) + h;
  return count;
}

std::int64_t head_parameters(const TransformerShape& shape) {
  const std::int64_t h = shape.hidden_size;
  std::int64_t count = shape.final_norm ? norm_parameters(shape) : 0;
  if (!shape.tied_embeddings) count += shape.vocab_size * h;
  if (shape.pooler) count += h * h + h;
  // Transform, its norm, the decoder's bias, next-sentence classifier: Devlin et al., BERT, 2019, appendix A.
  if (shape.head == Head::bert_pretraining) count += h * h + h + norm_parameters(shape) + shape.vocab_size + 2 * h + 2;
  return count;
}

}  // namespace models
