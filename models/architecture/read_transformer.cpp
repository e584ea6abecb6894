#include <array>
#include <string_view>
#include <utility>

#include "models/architecture/transformer.hpp"
#include "models/base/params.hpp"

namespace models {
namespace {

constexpr std::array<std::string_view, 2> attention_names{"unfused", "flash"};
constexpr std::array<std::string_view, 3> position_names{"learned", "rotary", "none"};
constexpr std::array<std::string_view, 2> norm_names{"layer", "rms"};
constexpr std::array<std::string_view, 3> bias_names{"all", "qkv", "none"};
constexpr std::array<std::string_view, 2> head_names{"language_model", "bert_pretraining"};

constexpr Range size{1.0, 1e9};
constexpr Range size_or_none{0.0, 1e9};

}  // namespace

std::unique_ptr<const Architecture> read_transformer(Params& params) {
  TransformerShape shape;
  shape.name = params.text("name", "name shown in results", "custom transformer");
  params.text("source", "where the dimensions come from", "");
  shape.hidden_size = params.count("hidden_size", size, "width of the residual stream");
  shape.num_layers = params.count("num_layers", {1.0, 10'000.0}, "transformer blocks");
  shape.num_attention_heads = params.count("num_attention_heads", {1.0, 10'000.0}, "query heads");
  shape.num_key_value_heads = params.count("num_key_value_heads", {1.0, 10'000.0},
                                           "key and value heads (grouped-query attention)", shape.num_attention_heads);
  const bool whole_heads = shape.num_attention_heads > 0 && shape.hidden_size % shape.num_attention_heads == 0;
  const std::int64_t even = whole_heads ? shape.hidden_size / shape.num_attention_heads : 1;
  shape.head_dim =
      params.count("head_dim", {1.0, 100'000.0}, "width of a head; default hidden_size / num_attention_heads", even);
  shape.intermediate_size =
      params.count("intermediate_size", size, "width of the MLP; default 4 x hidden_size", 4 * shape.hidden_size);
  shape.vocab_size = params.count("vocab_size", size, "rows of the embedding and of the output layer");
  shape.max_position_embeddings =
      params.count("max_position_embeddings", size, "longest sequence; rows of a learned position table");
  shape.position_offset =
      params.count("position_offset", size_or_none, "rows of the position table that no token uses (OPT: 2)", 0);
  shape.sequence_length =
      params.count("sequence_length", size, "default sequence length", shape.max_position_embeddings);
  shape.token_types = params.count("token_types", size_or_none, "rows of a segment table (BERT: 2)", 0);
  shape.predicted_share =
      params.fraction("predicted_share", {0.0, 1.0, Range::Ends::open_low},
                      "share of the tokens that reach the output layer (masked language models: the masked ones)", 1.0);
  shape.gated_mlp = params.flag("gated_mlp", "two up projections, one gates the other (SwiGLU)", false);
  shape.tied_embeddings = params.flag("tied_embeddings", "the output layer shares the embedding's weights", true);
  shape.causal = params.flag("causal", "a token sees only earlier tokens", true);
  shape.dropout = params.flag("dropout", "dropout on attention and on both residual branches while training", true);
  shape.embedding_norm = params.flag("embedding_norm", "a norm after the embedding", false);
  shape.final_norm = params.flag("final_norm", "a norm before the output layer", true);
  shape.pooler = params.flag("pooler", "BERT's dense layer on the first token", false);
  shape.positions = static_cast<Positions>(params.choice("positions", position_names, "how positions enter", 0));
  shape.norm =
      static_cast<Norm>(params.choice("norm", norm_names, "layer norm (scale and shift) or RMS norm (scale)", 0));
  shape.biases = static_cast<Biases>(params.choice("biases", bias_names, "which linear layers have a bias", 0));
  shape.head = static_cast<Head>(params.choice("head", head_names, "output layer", 0));
  shape.attention = static_cast<Attention>(
      params.choice("attention", attention_names,
                    "separate kernels for scores, softmax and context, or one fused kernel (FlashAttention)", 0));
  if (params.describing()) return nullptr;
  if (!whole_heads && !params.has("head_dim"))
    params.report("num_attention_heads", "hidden_size is no multiple of num_attention_heads",
                  "give head_dim, or another number of heads");
  if (shape.num_key_value_heads < 1 || shape.num_attention_heads % shape.num_key_value_heads != 0)
    params.report("num_key_value_heads", "num_attention_heads is no multiple of num_key_value_heads",
                  "each key and value head serves equally many query heads");
  if (shape.sequence_length > shape.max_position_embeddings)
    params.report("sequence_length", "the default sequence is longer than max_position_embeddings");
  return transformer(std::move(shape));
}

}  // namespace models
