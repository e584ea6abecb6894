#include "models/exchange/chunks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace models {
namespace {

constexpr double most_padding = 0.01;  // of the numeric vector: more would change the scale of the signs
constexpr int most_padded_ranks = 64;

std::int64_t padding_unit(int ranks) {
  return static_cast<std::int64_t>(ranks) * std::lcm(static_cast<std::int64_t>(ranks), std::int64_t{8});
}

}  // namespace

std::int64_t padded_elements(std::int64_t elements, int ranks) {
  const std::int64_t unit = padding_unit(ranks);
  return (elements + unit - 1) / unit * unit;
}

Chunking resolved(Chunking chunking, int ranks) {
  if (chunking != Chunking::automatic) return chunking;
  return ranks > most_padded_ranks ? Chunking::proportional : Chunking::padded;
}

Chunks numeric_chunks(std::int64_t numeric_elements, std::int64_t full_elements, int ranks, Chunking chunking) {
  Chunks chunks;
  chunks.total = padded_elements(numeric_elements, ranks);
  if (resolved(chunking, ranks) == Chunking::proportional) {
    const double added = static_cast<double>(padded_elements(full_elements, ranks) - full_elements);
    chunks.total = numeric_elements +
                   std::llround(added / static_cast<double>(full_elements) * static_cast<double>(numeric_elements));
  }
  for (int rank = 0; rank < ranks; ++rank) chunks.ranges.push_back(slice(chunks.total, ranks, rank));
  return chunks;
}

std::optional<PaddingFault> padding_fault(std::int64_t numeric_elements, int ranks, Chunking chunking) {
  if (numeric_elements == 0 || ranks == 1 || resolved(chunking, ranks) == Chunking::proportional) return {};
  const std::int64_t padded = padded_elements(numeric_elements, ranks);
  const double share = static_cast<double>(padded - numeric_elements) / static_cast<double>(numeric_elements);
  if (share <= most_padding) return {};
  const auto legal = static_cast<std::int64_t>(std::ceil(static_cast<double>(padded) / (1.0 + most_padding)));
  return PaddingFault{
      fmt::format("at {} ranks padding adds {:.1f} % to the numeric vector of {}, more than 1 %", ranks, 100.0 * share,
                  numeric_elements),
      fmt::format("learning.dimension: {} (the next that is legal), or learning.chunking: proportional", legal)};
}

}  // namespace models
