#pragma once
// What LARS and LAMB share: one factor per layer from the layer's norms.

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "models/architecture/layout.hpp"
#include "models/base/block_sum.hpp"

namespace models {

inline double norm_of(std::span<const float> x) { return std::sqrt(sum_of_squares(x)); }

// First element and number of elements of every layer; without a layout the vector is one layer.
inline std::vector<std::pair<std::size_t, std::size_t>> layer_ranges(const Layout* layout, std::size_t elements) {
  if (layout == nullptr || layout->layers.empty()) return {{0, elements}};
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const LayerSlice& layer : layout->layers)
    ranges.emplace_back(static_cast<std::size_t>(layer.numeric_begin), static_cast<std::size_t>(layer.numeric_count));
  return ranges;
}

}  // namespace models
