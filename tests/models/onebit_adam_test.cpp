// The published behaviour of 1-bit Adam on a badly scaled quadratic: n = 4, d = 100, T = 1200, curvature 0.1 to 10, start 0, b = N(0, 1) + 0.3 N(0, 1) per
// worker, noise 0.1 h, learning rate 0.01 cosine to 0, l2 scale. Gap: f(mean x) - f*, averaged over the last 100 steps.

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "models/algorithm/algorithm.hpp"
#include "models/algorithm/gradient.hpp"
#include "models/exchange/exchange.hpp"
#include "models/objective/objective.hpp"
#include "models/optimizer/optimizer.hpp"
#include "tests/support/documents.hpp"
#include "tests/support/instant_worker.hpp"

namespace {

constexpr int ranks = 4;
constexpr std::int64_t dimension = 100, steps = 1200;
const std::string rate = "learning_rate: {peak: 0.01, schedule: cosine}";

std::unique_ptr<const models::Objective> problem(std::uint64_t seed) {
  const models::ObjectiveSpec spec = support::read_row(
      models::objectives(), "quadratic",
      "dimension: 100, curvature: {min: 0.1, max: 10}, heterogeneity: 0.3, noise: {std: 0.1, shape: curvature, per: worker_step}");
  return spec.make({.seed = seed, .workers = ranks});
}

// d = 100 at 4 ranks is padded to 128: more than 1 %, but what the reference values were measured with is the padded vector.
models::Layout layout() {
  models::Layout plain = support::plain_layout(dimension, dimension);
  plain.chunking = models::Chunking::padded;
  return plain;
}

double gap(std::uint64_t seed, const std::function<std::unique_ptr<models::Algorithm>()>& make) {
  const std::unique_ptr<const models::Objective> objective = problem(seed);
  support::InstantRun run(layout(), ranks, steps, objective.get());
  run.diverged_above = 1e30;
  run.run(make);
  if (run.gaps.size() < static_cast<std::size_t>(steps)) return 1e30;
  return std::accumulate(run.gaps.end() - 100, run.gaps.end(), 0.0) / 100.0;
}

double gap(std::uint64_t seed, const std::string& name, const std::string& keys) {
  const models::AlgorithmSpec spec = support::read_row(models::algorithms(), name, keys + (keys.empty() ? "" : ", ") + rate);
  return gap(seed, [&] { return spec.make(layout(), ranks, steps); });
}

double adam(std::uint64_t seed) { return gap(seed, "adam", "bias_correction: no"); }

}  // namespace

TEST_CASE("1-bit Adam frozen after 300 steps ends within 4x of Adam", "[algorithm]") {
  double onebit_sum = 0.0, adam_sum = 0.0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const double plain = adam(seed), onebit = gap(seed, "onebit_adam", "freeze_step: 300");
    WARN("seed " << seed << ": adam " << plain << ", frozen at 300 " << onebit);
    CHECK(plain < 5e-3);
    adam_sum += plain;
    onebit_sum += onebit;
  }
  CHECK(onebit_sum <= 4.0 * adam_sum);
}

TEST_CASE("1-bit Adam frozen after the first step diverges", "[algorithm]") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) CHECK_FALSE(gap(seed, "onebit_adam", "freeze_step: 1") < 1e6);
}

TEST_CASE("1-bit Adam without the servers' error feedback ends at least 20x above Adam", "[algorithm]") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const double g = gap(seed, "onebit_adam", "freeze_step: 300, error_feedback: worker");
    WARN("seed " << seed << ": " << g);
    CHECK(g >= 20.0 * adam(seed));
  }
}

TEST_CASE("1-bit Adam without any error feedback ends at least 1000x above Adam", "[algorithm]") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const double g = gap(seed, "onebit_adam", "freeze_step: 300, error_feedback: none");
    WARN("seed " << seed << ": " << g);
    CHECK(g >= 1000.0 * adam(seed));
  }
}

namespace {

// What the paper warns of: Adam on a gradient that is compressed from the first step on, with error feedback, v from the compressed gradient.
class NaiveCompressedAdam final : public models::Algorithm {
 public:
  NaiveCompressedAdam()
      : optimizer_(support::read_row(models::optimizers(), "adam", "bias_correction: no")(dimension)),
        exchange_(support::read_row(models::exchanges(), "two_sided_compressed", "")({ranks, dimension, dimension, models::Chunking::padded})) {}

  models::Task run(models::Worker& self) override {
    for (std::int64_t step = 0; step < self.steps(); ++step) {
      self.begin_step(step);
      models::Task gradient = models::own_gradient(self);
      co_await gradient;
      models::Task average = exchange_->average(self, dimension, self.gradient());
      co_await average;
      const double cosine = std::cos(3.14159265358979 * static_cast<double>(step) / static_cast<double>(steps));
      optimizer_->step(self.weights(), self.gradient(), {step, 0.01 * 0.5 * (1.0 + cosine), nullptr});
      models::Operation ended = self.end_step(step);
      const models::Outcome outcome = co_await ended;
      if (outcome.item == 1) co_return;
    }
  }
  std::vector<models::Buffer> buffers(const models::Layout&, const models::Group&) const override { return {}; }

 private:
  std::unique_ptr<models::Optimizer> optimizer_;
  std::unique_ptr<models::Exchange> exchange_;
};

}  // namespace

TEST_CASE("Adam on compressed gradients with error feedback ends at least 100x above Adam", "[algorithm]") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const double g = gap(seed, [] { return std::make_unique<NaiveCompressedAdam>(); });
    WARN("seed " << seed << ": " << g);
    CHECK(g >= 100.0 * adam(seed));
  }
}
