#include "models/optimizer/optimizer.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "models/base/random.hpp"
#include "models/kernel/descent.hpp"
#include "models/optimizer/learning_rate.hpp"
#include "tests/support/documents.hpp"
#include "tests/support/every_target.hpp"

namespace {

std::vector<float> gaussian(std::size_t count, std::uint32_t owner, std::uint32_t step) {
  std::vector<float> values(count);
  models::Stream(12, models::Purpose::problem, owner, step).fill_normal(values);
  return values;
}

// 100 steps on the same gradients: the optimizer against `reference(k, g, t)`, which returns the weight k after update
// t, in double.
template <class Reference>
void compare(const std::string& row, const std::string& keys, const Reference& reference) {
  constexpr std::size_t count = 37;
  const auto optimizer = support::read_row(models::optimizers(), row, keys)(count);
  std::vector<float> weights = gaussian(count, 0, 0);
  for (int t = 1; t <= 100; ++t) {
    const std::vector<float> gradient = gaussian(count, 1, static_cast<std::uint32_t>(t));
    optimizer->step(weights, gradient, {t - 1, 0.01, nullptr});
    for (std::size_t k = 0; k < count; ++k)
      REQUIRE(static_cast<double>(weights[k]) ==
              Approx(reference(k, static_cast<double>(gradient[k]), t)).epsilon(1e-6).margin(1e-6));
  }
}

struct AdamReference {
  double weight_decay = 0.0, epsilon = 1e-8;
  bool corrected = true;
  std::vector<double> x = [] {
    const std::vector<float> start = gaussian(37, 0, 0);
    return std::vector<double>(start.begin(), start.end());
  }();
  std::vector<double> m = std::vector<double>(37), v = std::vector<double>(37);

  double operator()(std::size_t k, double g, int t) {
    m[k] = 0.9 * m[k] + 0.1 * g;
    v[k] = 0.999 * v[k] + 0.001 * g * g;
    const double c1 = corrected ? 1.0 - std::pow(0.9, t) : 1.0, c2 = corrected ? 1.0 - std::pow(0.999, t) : 1.0;
    x[k] -= 0.01 * (m[k] / c1 / (std::sqrt(v[k] / c2) + epsilon) + weight_decay * x[k]);
    return x[k];
  }
};

}  // namespace

TEST_CASE("adam equals its scalar definition over 100 steps", "[optimizer]") {
  AdamReference plain, decayed, uncorrected;
  compare("adam", "", [&](std::size_t k, double g, int t) { return plain(k, g, t); });
  decayed.weight_decay = 0.1;
  decayed.epsilon = 1e-3;
  compare("adam", "weight_decay: 0.1, eps: 1e-3", [&](std::size_t k, double g, int t) { return decayed(k, g, t); });
  uncorrected.corrected = false;
  compare("adam", "bias_correction: no", [&](std::size_t k, double g, int t) { return uncorrected(k, g, t); });
}

TEST_CASE("sgd equals its scalar definition over 100 steps", "[optimizer]") {
  for (const bool nesterov : {false, true}) {
    std::vector<float> x = gaussian(37, 0, 0), buffer(37);
    compare("sgd", std::string("momentum: 0.9, weight_decay: 0.01, nesterov: ") + (nesterov ? "yes" : "no"),
            [&](std::size_t k, double g, int) {
              const float slope = static_cast<float>(g) + 0.01f * x[k];
              buffer[k] = 0.9f * buffer[k] + slope;
              x[k] -= 0.01f * (nesterov ? slope + 0.9f * buffer[k] : buffer[k]);
              return static_cast<double>(x[k]);
            });
  }
}

TEST_CASE("every optimizer declares its keys and moves against the gradient", "[optimizer]") {
  for (const auto& row : models::optimizers().rows()) {
    CHECK_FALSE(support::described(row).empty());
    for (const std::int64_t count : {0, 1, 17}) {
      const auto optimizer = support::read_row(models::optimizers(), row.name, "")(count);
      std::vector<float> weights(static_cast<std::size_t>(count), 1.0f);
      const std::vector<float> gradient(weights.size(), 0.5f);
      optimizer->step(weights, gradient, {0, 0.1, nullptr});
      for (const float w : weights) CHECK(w < 1.0f);
    }
  }
}

TEST_CASE("update kernels give the same bits on every target", "[optimizer]") {
  constexpr std::size_t count = 1003;
  const std::vector<float> g = gaussian(count, 2, 0), b = gaussian(count, 3, 0), h = gaussian(count, 4, 0);
  std::vector<std::vector<float>> all;
  support::on_every_target([&](const char*) {
    std::vector<float> x = gaussian(count, 5, 0), m(count), v(count), buffer(count), noise = gaussian(count, 6, 0),
                       curved = noise;
    models::AdamStep step;
    step.learning_rate = 0.01f;
    step.weight_decay = 0.1f;
    step.momentum_factor = 10.0f;
    step.root_factor = 31.6f;
    models::adam_step(x, m, v, g, step);
    models::preconditioned_step(x, m, v, step);
    models::blend(m, b, 0.9f, 0.1f);
    models::sgd_step(x, buffer, g, {0.9f, 0.01f, 0.1f});
    models::nesterov_step(x, buffer, b, {0.9f, 0.01f, 0.1f});
    models::quadratic_gradient(x, b, h, 0.3f, noise);
    models::quadratic_gradient_curved_noise(x, b, h, 0.3f, curved);
    models::add_to(noise, curved);
    for (const auto* part : {&m, &v, &buffer, &noise, &curved}) x.insert(x.end(), part->begin(), part->end());
    all.push_back(x);
  });
  for (const auto& result : all) CHECK(result == all[0]);
}

TEST_CASE("a learning rate is a number or a schedule", "[optimizer]") {
  const auto read = [](const std::string& keys) {
    const models::Node node = support::FlowReader(keys).mapping('\0');
    const models::NoPresets presets;
    models::Diagnostics diagnostics;
    models::Params params(node, "", diagnostics, presets);
    const auto rate = models::read_learning_rate(params);
    diagnostics.throw_if_any();
    return rate;
  };
  CHECK_FALSE(read("").has_value());
  CHECK((*read("learning_rate: 0.01"))(700, 1000) == 0.01);
  const auto cosine = *read("learning_rate: {peak: 0.02, schedule: cosine, final: 0.01}");
  CHECK(cosine(0, 1000) == 0.02);
  CHECK(cosine(250, 1000) == Approx(0.01 + 0.005 * (1 + std::cos(3.14159265358979 / 4))));
  CHECK(cosine(1000, 1000) == 0.01);
  const auto linear = *read("learning_rate: {peak: 1, schedule: linear, warmup_steps: 10}");
  CHECK(linear(0, 110) == 0.1);
  CHECK(linear(9, 110) == 1.0);
  CHECK(linear(60, 110) == 0.5);
  CHECK_THROWS_WITH(read("learning_rate: {peak: 1, final: 2}"),
                    Catch::Contains("the final learning rate exceeds the peak"));
}
