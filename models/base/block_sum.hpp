#pragma once
// Reductions with one fixed shape: element i is added to lane i % 16 in double, then the lanes pairwise (l + 8, + 4, +
// 2, + 1). Same bits on every vector width; products of floats are exact in double. Spans of one call have equal sizes.

#include <span>

namespace models {

double sum(std::span<const float> x);
double sum_of_squares(std::span<const float> x);
double sum_of_magnitudes(std::span<const float> x);
double inner_product(std::span<const float> x, std::span<const float> y);
// Sum over k of weight_k (x_k - y_k)^2; the difference is taken in double.
double weighted_square_distance(std::span<const float> x, std::span<const float> y, std::span<const float> weight);

}  // namespace models
