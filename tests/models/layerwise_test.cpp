// Optimizers with a factor per layer, and with 8-bit averages.

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "models/architecture/layout.hpp"
#include "models/base/block_sum.hpp"
#include "models/base/random.hpp"
#include "models/kernel/block_codes.hpp"
#include "models/optimizer/learning_rate.hpp"
#include "models/optimizer/optimizer.hpp"
#include "tests/support/documents.hpp"

namespace {

std::vector<float> gaussian(std::size_t count, std::uint32_t owner, std::uint32_t step) {
  std::vector<float> values(count);
  models::Stream(12, models::Purpose::problem, owner, step).fill_normal(values);
  return values;
}

// Layers of 20 and 30 elements.
models::Layout two_layers() {
  return models::layout({{"first", 200}, {"second", 300}}, 50, models::Bytes{1e9}, models::Bytes{4.0});
}

double norm(const std::vector<double>& x, std::size_t first, std::size_t count) {
  double sum = 0.0;
  for (std::size_t k = first; k < first + count; ++k) sum += x[k] * x[k];
  return std::sqrt(sum);
}

// 100 steps on the same gradients: the optimizer against `reference(x, g, t)`, which moves x in double.
template <class Reference>
void compare(const std::string& row, const std::string& keys, const Reference& reference) {
  const models::Layout layout = two_layers();
  const auto optimizer = support::read_row(models::optimizers(), row, keys)(50);
  std::vector<float> weights = gaussian(50, 0, 0);
  std::vector<double> x(weights.begin(), weights.end());
  for (int t = 1; t <= 100; ++t) {
    const std::vector<float> gradient = gaussian(50, 1, static_cast<std::uint32_t>(t));
    optimizer->step(weights, gradient, {t - 1, 0.01, &layout});
    reference(x, gradient, t);
    for (std::size_t k = 0; k < x.size(); ++k)
      REQUIRE(static_cast<double>(weights[k]) == Approx(x[k]).epsilon(1e-5).margin(1e-5));
  }
}

// The change of the weights in one step from fresh averages.
std::vector<double> update_of(const std::string& row, const std::string& keys, const std::vector<float>& gradient) {
  const models::Layout layout = two_layers();
  const auto optimizer = support::read_row(models::optimizers(), row, keys)(50);
  const std::vector<float> start = gaussian(50, 0, 0);
  std::vector<float> weights = start;
  optimizer->step(weights, gradient, {0, 0.01, &layout});
  std::vector<double> update(50);
  for (std::size_t k = 0; k < 50; ++k) update[k] = static_cast<double>(weights[k]) - static_cast<double>(start[k]);
  return update;
}

double relative_error(const std::vector<float>& values, std::size_t first, std::size_t block) {
  models::BlockCodes codes(values.size(), block, models::CodeBook::signed_dynamic());
  std::vector<float> decoded(values.size());
  for (std::size_t b = 0; b * block < values.size(); ++b) {
    const std::size_t count = std::min(block, values.size() - b * block);
    codes.encode(b, std::span(values).subspan(b * block, count));
    codes.decode(b, std::span(decoded).subspan(b * block, count));
  }
  double error = 0.0, all = 0.0;
  for (std::size_t k = first; k < values.size(); ++k) {
    error += std::pow(static_cast<double>(values[k]) - static_cast<double>(decoded[k]), 2);
    all += std::pow(static_cast<double>(values[k]), 2);
  }
  return std::sqrt(error / all);
}

}  // namespace

TEST_CASE("lamb equals its scalar definition over 100 steps", "[optimizer]") {
  std::vector<double> m(50), v(50), u(50);
  compare("lamb", "weight_decay: 0.1, eps: 1e-6, max_trust_ratio: 5",
          [&](std::vector<double>& x, const std::vector<float>& g, int t) {
            for (std::size_t k = 0; k < x.size(); ++k) {
              const double slope = static_cast<double>(g[k]);
              m[k] = 0.9 * m[k] + 0.1 * slope;
              v[k] = 0.999 * v[k] + 0.001 * slope * slope;
              u[k] =
                  m[k] / (1.0 - std::pow(0.9, t)) / (std::sqrt(v[k] / (1.0 - std::pow(0.999, t))) + 1e-6) + 0.1 * x[k];
            }
            for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 20}, {20, 30}}) {
              const double ratio = std::min(5.0, norm(x, first, count) / norm(u, first, count));
              for (std::size_t k = first; k < first + count; ++k) x[k] -= 0.01 * ratio * u[k];
            }
          });
}

TEST_CASE("lars equals its scalar definition over 100 steps", "[optimizer]") {
  std::vector<double> velocity(50);
  compare("lars", "trust: 0.02, weight_decay: 0.1", [&](std::vector<double>& x, const std::vector<float>& g, int) {
    const std::vector<double> slope(g.begin(), g.end());
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 20}, {20, 30}}) {
      const double size = norm(x, first, count), ratio = 0.02 * size / (norm(slope, first, count) + 0.1 * size);
      for (std::size_t k = first; k < first + count; ++k) {
        velocity[k] = 0.9 * velocity[k] + 0.01 * ratio * (slope[k] + 0.1 * x[k]);
        x[k] -= velocity[k];
      }
    }
  });
}

TEST_CASE("a layer's gradient times 1000 leaves the updates of LARS and LAMB unchanged", "[optimizer]") {
  std::vector<float> gradient = gaussian(50, 1, 1), scaled = gradient;
  for (std::size_t k = 20; k < 50; ++k) scaled[k] *= 1000.0f;
  for (const char* row : {"lars", "lamb"}) {
    const std::string keys = std::string(row) == "lamb" ? "eps: 0" : "";
    const std::vector<double> a = update_of(row, keys, gradient), b = update_of(row, keys, scaled);
    for (std::size_t k = 0; k < a.size(); ++k) CHECK(b[k] == Approx(a[k]).epsilon(1e-4).margin(1e-7));
  }
  // Plain SGD is the mutant that this must tell apart.
  const std::vector<double> a = update_of("sgd", "", gradient), b = update_of("sgd", "", scaled);
  CHECK(std::fabs(b[30]) > 100.0 * std::fabs(a[30]));
}

TEST_CASE("8-bit averages follow Adam, and blocks keep an outlier to itself", "[optimizer]") {
  const auto exact = support::read_row(models::optimizers(), "adam", "")(5000),
             coded = support::read_row(models::optimizers(), "adam_8bit", "")(5000);
  const std::vector<float> start = gaussian(5000, 0, 0);
  std::vector<float> a = start, b = start;
  for (int t = 1; t <= 50; ++t) {
    const std::vector<float> gradient = gaussian(5000, 1, static_cast<std::uint32_t>(t));
    exact->step(a, gradient, {t - 1, 0.001, nullptr});
    coded->step(b, gradient, {t - 1, 0.001, nullptr});
  }
  double apart = 0.0, moved = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    apart += std::pow(static_cast<double>(a[k] - b[k]), 2);
    moved += std::pow(static_cast<double>(a[k] - start[k]), 2);
  }
  CHECK(std::sqrt(apart / moved) < 0.1);
  CHECK(std::sqrt(apart) > 0.0);
  double state = 0.0;
  for (const models::Buffer& buffer : coded->buffers(2048 * 100)) state += buffer.size.value;
  CHECK(state == 2048 * 100 * 2 + 100 * 8);

  // 65,536 values of many magnitudes: an outlier of 1e4 spoils all others when the vector is one block, and in blocks
  // of 2,048 its own block only (training.md section 13: 0.026 against 0.011).
  std::vector<float> values = gaussian(65536, 3, 0);
  const std::vector<float> exponents = gaussian(65536, 4, 0);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= static_cast<float>(std::exp(exponents[k]));
  const double calm_whole = relative_error(values, 2048, values.size()), calm = relative_error(values, 2048, 2048);
  values[0] = 1e4f;
  CHECK(relative_error(values, 2048, 2048) == calm);
  CHECK(calm < 0.02);
  CHECK(calm < calm_whole);
  CHECK(relative_error(values, 2048, values.size()) > 1.5 * calm_whole);
}

TEST_CASE("a polynomial schedule ends at its final rate, a warm-up begins at its start", "[optimizer]") {
  const models::Node node = support::FlowReader(
                                "learning_rate: {peak: 0.8, start: 0.1, warmup_steps: 7, schedule: polynomial, power: "
                                "2, final: 0.01}")
                                .mapping('\0');
  const models::NoPresets presets;
  models::Diagnostics diagnostics;
  models::Params params(node, "", diagnostics, presets);
  const auto rate = *models::read_learning_rate(params);
  diagnostics.throw_if_any();
  CHECK(rate(0, 107) == Approx(0.2));
  CHECK(rate(6, 107) == Approx(0.8));
  CHECK(rate(57, 107) == Approx(0.01 + 0.79 * 0.25));
  CHECK(rate(107, 107) == Approx(0.01));
}
