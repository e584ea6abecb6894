#pragma once
// How the parameters of the full model lie in the numeric vector, and in gradient buckets. One entry per model layer.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.hpp"

namespace models {

struct LayerSlice {
  std::string name;
  std::int64_t full_parameters = 0;
  std::int64_t numeric_begin = 0, numeric_count = 0;  // 0 and 0 without a numeric plane
};

// Whole layers, in backward order (the first bucket holds the last layers).
struct Bucket {
  int first_layer = 0, last_layer = 0;  // inclusive, indices into layers, first <= last
  std::int64_t full_parameters = 0;
  std::int64_t numeric_begin = 0, numeric_count = 0;
};

// How exchanges cut the numeric vector among ranks: with the full model's padding, or in proportion (the default above
// 64 ranks; design section 2).
enum class Chunking { automatic, padded, proportional };

struct Layout {
  std::vector<LayerSlice> layers;  // forward order
  std::vector<Bucket> buckets;     // backward order
  std::int64_t full_parameters = 0;
  std::int64_t numeric_parameters = 0;
  Chunking chunking = Chunking::automatic;
};

// Numeric elements are shared out in proportion, at least 1 per layer, remainder to the largest; `numeric_parameters`
// 0: no numeric plane. A bucket closes when its gradients reach `bucket_size` at `element_size` each; a layer is never
// split.
Layout layout(const std::vector<std::pair<std::string, std::int64_t>>& layers, std::int64_t numeric_parameters,
              Bytes bucket_size, Bytes element_size);

}  // namespace models
