#include "models/kernel/descent.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernel/descent.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Each body is written once for any tag: whole vectors first, then one lane at a time.
constexpr hn::ScalableTag<float> vectors;
constexpr hn::CappedTag<float, 1> single;

template <class Body>
HWY_INLINE void each(std::size_t count, const Body& body) {
  std::size_t i = 0;
  for (; i + hn::Lanes(vectors) <= count; i += hn::Lanes(vectors)) body(vectors, i);
  for (; i < count; ++i) body(single, i);
}

template <class D>
HWY_INLINE hn::Vec<D> direction(D d, hn::Vec<D> weights, hn::Vec<D> m, hn::Vec<D> v, const AdamStep& s) {
  const auto root = hn::Add(hn::Mul(hn::Sqrt(v), hn::Set(d, s.root_factor)), hn::Set(d, s.epsilon));
  const auto scaled = hn::Div(hn::Mul(m, hn::Set(d, s.momentum_factor)), root);
  return hn::Add(scaled, hn::Mul(weights, hn::Set(d, s.weight_decay)));
}

template <class D>
HWY_INLINE void precondition(D d, float* x, hn::Vec<D> m, hn::Vec<D> v, const AdamStep& s) {
  const auto weights = hn::LoadU(d, x);
  const auto update = direction(d, weights, m, v, s);
  hn::StoreU(hn::Sub(weights, hn::Mul(update, hn::Set(d, s.learning_rate))), d, x);
}

template <class D>
struct Moments {
  hn::Vec<D> momentum, variance;
};
template <class D>
HWY_INLINE Moments<D> moved(D d, float* m, float* v, const float* g, const AdamStep& s) {
  const auto gradient = hn::LoadU(d, g);
  const auto momentum =
      hn::Add(hn::Mul(hn::LoadU(d, m), hn::Set(d, s.beta1)), hn::Mul(gradient, hn::Set(d, s.one_minus_beta1)));
  const auto square = hn::Mul(gradient, gradient);
  const auto variance =
      hn::Add(hn::Mul(hn::LoadU(d, v), hn::Set(d, s.beta2)), hn::Mul(square, hn::Set(d, s.one_minus_beta2)));
  hn::StoreU(momentum, d, m);
  hn::StoreU(variance, d, v);
  return {momentum, variance};
}

void adam(float* x, float* m, float* v, const float* g, std::size_t count, const AdamStep& s) {
  each(count, [=, &s](auto d, std::size_t i) HWY_ATTR {
    const auto moments = moved(d, m + i, v + i, g + i, s);
    precondition(d, x + i, moments.momentum, moments.variance, s);
  });
}

void adam_update(const float* x, float* m, float* v, const float* g, float* update, std::size_t count,
                 const AdamStep& s) {
  each(count, [=, &s](auto d, std::size_t i) HWY_ATTR {
    const auto moments = moved(d, m + i, v + i, g + i, s);
    hn::StoreU(direction(d, hn::LoadU(d, x + i), moments.momentum, moments.variance, s), d, update + i);
  });
}

void preconditioned(float* x, const float* m, const float* v, std::size_t count, const AdamStep& s) {
  each(count, [=, &s](auto d, std::size_t i)
                  HWY_ATTR { precondition(d, x + i, hn::LoadU(d, m + i), hn::LoadU(d, v + i), s); });
}

void blended(float* average, const float* values, std::size_t count, float keep, float take) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const auto kept = hn::Mul(hn::LoadU(d, average + i), hn::Set(d, keep));
    hn::StoreU(hn::Add(kept, hn::Mul(hn::LoadU(d, values + i), hn::Set(d, take))), d, average + i);
  });
}

template <bool Nesterov>
HWY_INLINE void momentum_step(float* x, float* buffer, const float* g, std::size_t count, const SgdStep& s) {
  each(count, [=, &s](auto d, std::size_t i) HWY_ATTR {
    const auto weights = hn::LoadU(d, x + i);
    const auto gradient = hn::Add(hn::LoadU(d, g + i), hn::Mul(weights, hn::Set(d, s.weight_decay)));
    const auto velocity = hn::Add(hn::Mul(hn::LoadU(d, buffer + i), hn::Set(d, s.momentum)), gradient);
    hn::StoreU(velocity, d, buffer + i);
    auto direction = velocity;
    if (Nesterov) direction = hn::Add(gradient, hn::Mul(velocity, hn::Set(d, s.momentum)));
    hn::StoreU(hn::Sub(weights, hn::Mul(direction, hn::Set(d, s.learning_rate))), d, x + i);
  });
}
void sgd(float* x, float* buffer, const float* g, std::size_t count, const SgdStep& s) {
  momentum_step<false>(x, buffer, g, count, s);
}
void nesterov(float* x, float* buffer, const float* g, std::size_t count, const SgdStep& s) {
  momentum_step<true>(x, buffer, g, count, s);
}

void quadratic(const float* x, const float* b, const float* h, std::size_t count, float std, float* out) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const auto slope = hn::Mul(hn::LoadU(d, h + i), hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, b + i)));
    hn::StoreU(hn::Add(slope, hn::Mul(hn::LoadU(d, out + i), hn::Set(d, std))), d, out + i);
  });
}

void curved(const float* x, const float* b, const float* h, std::size_t count, float std, float* out) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const auto noise = hn::Mul(hn::LoadU(d, out + i), hn::Set(d, std));
    const auto distance = hn::Add(hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, b + i)), noise);
    hn::StoreU(hn::Mul(hn::LoadU(d, h + i), distance), d, out + i);
  });
}

void added(float* values, const float* addend, std::size_t count) {
  each(count, [=](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(hn::Add(hn::LoadU(d, values + i), hn::LoadU(d, addend + i)), d, values + i); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace models {

HWY_EXPORT(adam);
HWY_EXPORT(adam_update);
HWY_EXPORT(preconditioned);
HWY_EXPORT(blended);
HWY_EXPORT(sgd);
HWY_EXPORT(nesterov);
HWY_EXPORT(quadratic);
HWY_EXPORT(curved);
HWY_EXPORT(added);

void adam_step(std::span<float> weights, std::span<float> momentum, std::span<float> variance,
               std::span<const float> gradient, const AdamStep& step) {
  HWY_DYNAMIC_DISPATCH(adam)(weights.data(), momentum.data(), variance.data(), gradient.data(), weights.size(), step);
}
void adam_direction(std::span<const float> weights, std::span<float> momentum, std::span<float> variance,
                    std::span<const float> gradient, const AdamStep& step, std::span<float> update) {
  HWY_DYNAMIC_DISPATCH(adam_update)
  (weights.data(), momentum.data(), variance.data(), gradient.data(), update.data(), weights.size(), step);
}
void preconditioned_step(std::span<float> weights, std::span<const float> momentum, std::span<const float> variance,
                         const AdamStep& step) {
  HWY_DYNAMIC_DISPATCH(preconditioned)(weights.data(), momentum.data(), variance.data(), weights.size(), step);
}
void blend(std::span<float> average, std::span<const float> values, float keep, float take) {
  HWY_DYNAMIC_DISPATCH(blended)(average.data(), values.data(), average.size(), keep, take);
}
void sgd_step(std::span<float> weights, std::span<float> buffer, std::span<const float> gradient, const SgdStep& step) {
  HWY_DYNAMIC_DISPATCH(sgd)(weights.data(), buffer.data(), gradient.data(), weights.size(), step);
}
void nesterov_step(std::span<float> weights, std::span<float> buffer, std::span<const float> gradient,
                   const SgdStep& step) {
  HWY_DYNAMIC_DISPATCH(nesterov)(weights.data(), buffer.data(), gradient.data(), weights.size(), step);
}
void quadratic_gradient(std::span<const float> weights, std::span<const float> centre, std::span<const float> curvature,
                        float std, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(quadratic)(weights.data(), centre.data(), curvature.data(), weights.size(), std, out.data());
}
void quadratic_gradient_curved_noise(std::span<const float> weights, std::span<const float> centre,
                                     std::span<const float> curvature, float std, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(curved)(weights.data(), centre.data(), curvature.data(), weights.size(), std, out.data());
}
void add_to(std::span<float> values, std::span<const float> addend) {
  HWY_DYNAMIC_DISPATCH(added)(values.data(), addend.data(), values.size());
}

}  // namespace models
#endif
