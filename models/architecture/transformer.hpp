#pragma once
// Encoder and decoder transformers: dimensions -> parameters, kernels, activations.

#include <cstdint>
#include <memory>
#include <string>

#include "models/architecture/step_plan.hpp"

namespace models {

enum class Attention { unfused, flash };
enum class Positions { learned, rotary, none };
enum class Norm { layer, rms };
enum class Biases { all, qkv, none };
enum class Head { language_model, bert_pretraining };

struct TransformerShape {
  std::string name;
  std::int64_t hidden_size = 0;          // h
  std::int64_t num_layers = 0;           // L
  std::int64_t num_attention_heads = 0;  // a
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;                 // d
  std::int64_t intermediate_size = 0;        // f
  std::int64_t vocab_size = 0;               // V
  std::int64_t max_position_embeddings = 0;  // rows of the learned table, or the longest sequence
  std::int64_t position_offset = 0;          // rows of the learned table that no token uses
  std::int64_t sequence_length = 0;          // s, default
  std::int64_t token_types = 0;              // rows of BERT's segment table
  double predicted_share = 1.0;              // of the tokens, those that reach the output layer
  bool gated_mlp = false, tied_embeddings = true, causal = true, dropout = true, embedding_norm = false,
       final_norm = true, pooler = false;
  Positions positions = Positions::learned;
  Norm norm = Norm::layer;
  Biases biases = Biases::all;
  Head head = Head::language_model;
  Attention attention = Attention::unfused;
};

std::unique_ptr<const Architecture> transformer(TransformerShape shape);
std::unique_ptr<const Architecture> read_transformer(Params& params);

}  // namespace models
