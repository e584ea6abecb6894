#pragma once
// Parameters of a transformer's parts.

#include <cstdint>

#include "models/architecture/transformer.hpp"

namespace models {

std::int64_t query_width(const TransformerShape& shape);
std::int64_t key_width(const TransformerShape& shape);  // of the keys, and of the values
std::int64_t qkv_width(const TransformerShape& shape);

std::int64_t embedding_parameters(const TransformerShape& shape);
std::int64_t block_parameters(const TransformerShape& shape);
std::int64_t head_parameters(const TransformerShape& shape);

}  // namespace models
