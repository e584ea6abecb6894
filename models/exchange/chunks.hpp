#pragma once
// How a compressed exchange cuts a vector into one chunk per rank, at full size and in the numeric plane.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/architecture/layout.hpp"
#include "models/collective/collective.hpp"

namespace models {

// Elements after padding, so that every chunk is a whole number of bytes of signs on every rank: a multiple of n lcm(n,
// 8) (DeepSpeed).
std::int64_t padded_elements(std::int64_t elements, int ranks);

struct Chunks {
  std::int64_t total = 0;            // elements with padding; the padding is at the end
  std::vector<ElementRange> ranges;  // by rank; they cover [0, total)
};
// padded: chunks of the padded vector. proportional: d / n each, with the full model's share of padding.
Chunks numeric_chunks(std::int64_t numeric_elements, std::int64_t full_elements, int ranks, Chunking chunking);
Chunking resolved(Chunking chunking, int ranks);

// What is wrong when padding exceeds 1 % of the numeric vector, and the remedy.
struct PaddingFault {
  std::string message, hint;
};
std::optional<PaddingFault> padding_fault(std::int64_t numeric_elements, int ranks, Chunking chunking);

}  // namespace models
