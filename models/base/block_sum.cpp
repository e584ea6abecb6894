#include "models/base/block_sum.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/base/block_sum.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<double> doubles;
constexpr hn::Rebind<float, decltype(doubles)> halves;
using Doubles = hn::Vec<decltype(doubles)>;
constexpr std::size_t width = hn::MaxLanes(doubles), shape = 16, vectors = shape / width;

HWY_INLINE Doubles loaded(const float* p) { return hn::PromoteTo(doubles, hn::LoadU(halves, p)); }

// `vector_term` and `term` compute the same: one on `width` elements from an index, one on one element.
template <class VectorTerm, class Term>
HWY_INLINE double reduce(std::size_t count, const VectorTerm& vector_term, const Term& term) {
  Doubles sums[vectors];
  for (std::size_t v = 0; v < vectors; ++v) sums[v] = hn::Zero(doubles);
  std::size_t i = 0;
  for (; i + shape <= count; i += shape)
    for (std::size_t v = 0; v < vectors; ++v) sums[v] = hn::Add(sums[v], vector_term(i + v * width));
  HWY_ALIGN double lanes[shape];
  for (std::size_t v = 0; v < vectors; ++v) hn::Store(sums[v], doubles, lanes + v * width);
  for (std::size_t l = 0; i < count; ++i, ++l) lanes[l] += term(i);
  for (std::size_t half = shape / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

double plain(const float* x, std::size_t count) {
  return reduce(
      count, [x](std::size_t i) HWY_ATTR { return loaded(x + i); },
      [x](std::size_t i) { return static_cast<double>(x[i]); });
}

double squares(const float* x, std::size_t count) {
  return reduce(
      count,
      [x](std::size_t i) HWY_ATTR {
        const Doubles a = loaded(x + i);
        return hn::Mul(a, a);
      },
      [x](std::size_t i) { return static_cast<double>(x[i]) * static_cast<double>(x[i]); });
}

double magnitudes(const float* x, std::size_t count) {
  return reduce(
      count, [x](std::size_t i) HWY_ATTR { return hn::Abs(loaded(x + i)); },
      [x](std::size_t i) { return x[i] < 0.0f ? -static_cast<double>(x[i]) : static_cast<double>(x[i]); });
}

double products(const float* x, const float* y, std::size_t count) {
  return reduce(
      count, [x, y](std::size_t i) HWY_ATTR { return hn::Mul(loaded(x + i), loaded(y + i)); },
      [x, y](std::size_t i) { return static_cast<double>(x[i]) * static_cast<double>(y[i]); });
}

double weighted_distance(const float* x, const float* y, const float* weight, std::size_t count) {
  return reduce(
      count,
      [x, y, weight](std::size_t i) HWY_ATTR {
        const Doubles difference = hn::Sub(loaded(x + i), loaded(y + i));
        return hn::Mul(loaded(weight + i), hn::Mul(difference, difference));
      },
      [x, y, weight](std::size_t i) {
        const double difference = static_cast<double>(x[i]) - static_cast<double>(y[i]);
        return static_cast<double>(weight[i]) * (difference * difference);
      });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace models {

HWY_EXPORT(plain);
HWY_EXPORT(squares);
HWY_EXPORT(magnitudes);
HWY_EXPORT(products);
HWY_EXPORT(weighted_distance);

double sum(std::span<const float> x) { return HWY_DYNAMIC_DISPATCH(plain)(x.data(), x.size()); }
double sum_of_squares(std::span<const float> x) { return HWY_DYNAMIC_DISPATCH(squares)(x.data(), x.size()); }
double sum_of_magnitudes(std::span<const float> x) { return HWY_DYNAMIC_DISPATCH(magnitudes)(x.data(), x.size()); }
double inner_product(std::span<const float> x, std::span<const float> y) {
  return HWY_DYNAMIC_DISPATCH(products)(x.data(), y.data(), x.size());
}
double weighted_square_distance(std::span<const float> x, std::span<const float> y, std::span<const float> weight) {
  return HWY_DYNAMIC_DISPATCH(weighted_distance)(x.data(), y.data(), weight.data(), x.size());
}

}  // namespace models
#endif
