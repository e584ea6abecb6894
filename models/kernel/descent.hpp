#pragma once
// Element-wise updates of optimizers and gradients of quadratics. Spans of one call have equal sizes. Same bits on
// every vector width.

#include <span>

namespace models {

struct AdamStep {
  float beta1 = 0.9f, one_minus_beta1 = 0.1f, beta2 = 0.999f, one_minus_beta2 = 0.001f;
  float epsilon = 1e-8f, learning_rate = 0.0f, weight_decay = 0.0f;
  float momentum_factor = 1.0f;  // 1 / (1 - beta1^t) with bias correction
  float root_factor = 1.0f;      // 1 / sqrt(1 - beta2^t) with bias correction
};
// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; x -= lr ((m f_m) / (sqrt(v) f_r + eps) + wd x).
void adam_step(std::span<float> weights, std::span<float> momentum, std::span<float> variance,
               std::span<const float> gradient, const AdamStep& step);
// The last third of it alone: m and v as they are.
void preconditioned_step(std::span<float> weights, std::span<const float> momentum, std::span<const float> variance,
                         const AdamStep& step);

// m and v as adam_step; update = (m f_m) / (sqrt(v) f_r + eps) + wd x. The weights stay.
void adam_direction(std::span<const float> weights, std::span<float> momentum, std::span<float> variance,
                    std::span<const float> gradient, const AdamStep& step, std::span<float> update);

// average = keep * average + take * values.
void blend(std::span<float> average, std::span<const float> values, float keep, float take);

struct SgdStep {
  float momentum = 0.0f, learning_rate = 0.0f, weight_decay = 0.0f;
};
// g' = g + wd x; buffer = momentum buffer + g'; x -= lr buffer.
void sgd_step(std::span<float> weights, std::span<float> buffer, std::span<const float> gradient, const SgdStep& step);
// The same with x -= lr (g' + momentum buffer).
void nesterov_step(std::span<float> weights, std::span<float> buffer, std::span<const float> gradient,
                   const SgdStep& step);

// On entry `out` holds standard normal noise z (or zeros): out = h (x - b) + std z.
void quadratic_gradient(std::span<const float> weights, std::span<const float> centre, std::span<const float> curvature,
                        float std, std::span<float> out);
// out = h ((x - b) + std z): noise in proportion to the curvature.
void quadratic_gradient_curved_noise(std::span<const float> weights, std::span<const float> centre,
                                     std::span<const float> curvature, float std, std::span<float> out);
// values += addend.
void add_to(std::span<float> values, std::span<const float> addend);

}  // namespace models
