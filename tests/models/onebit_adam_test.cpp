// The published behaviour of 1-bit Adam on a badly scaled quadratic: n = 4, d = 100, T = 1200, curvature 0.1 to 10,
// start 0, b = N(0, 1) + 0.3 N(0, 1) per worker, noise 0.1 h, learning rate 0.01 cosine to 0, l2 scale. Gap: f(mean x)
// - f*, averaged over the last 100 steps.

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
  const models::ObjectiveSpec spec = support::read_row(models::objectives(), "quadratic",
                                                       "dimension: 100, curvature: {min: 0.1, max: 10}, heterogeneity: "
                                                       "0.3, noise: {std: 0.1, shape: curvature, per: worker_step}");
  return spec.make({.seed = seed, .workers = ranks});
}

// Chunks of 25: the full vector needs no padding, so the numeric one has none either. (Padded to 128, the scale would
// be off by 12 %.)
constexpr std::int64_t full = 3200000;
models::Layout layout() {
  models::Layout plain = support::plain_layout(full, dimension);
  plain.chunking = models::Chunking::proportional;
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
  const models::AlgorithmSpec spec =
      support::read_row(models::algorithms(), name, keys + (keys.empty() ? "" : ", ") + rate);
  return gap(seed, [&] { return spec.make(layout(), ranks, steps); });
}

double adam(std::uint64_t seed) { return gap(seed, "adam", "bias_correction: no"); }

}  // namespace

TEST_CASE("1-bit Adam frozen after 300 steps ends within 4x of Adam", "[algorithm]") {
  double onebit_sum = 0.0, adam_sum = 0.0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const double plain = adam(seed), onebit = gap(seed, "onebit_adam", "freeze_step: 300");
    INFO("seed " << seed << ": adam " << plain << ", frozen at 300 " << onebit);
    CHECK(plain > 3e-4);
    CHECK(plain < 3e-3);
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
    INFO("seed " << seed << ": " << g);
    CHECK(g >= 20.0 * adam(seed));
  }
}

TEST_CASE("1-bit Adam without any error feedback ends at least 1000x above Adam", "[algorithm]") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const double g = gap(seed, "onebit_adam", "freeze_step: 300, error_feedback: none");
    INFO("seed " << seed << ": " << g);
    CHECK(g >= 1000.0 * adam(seed));
  }
}

namespace {

// What the paper warns of: Adam on a gradient that is compressed from the first step on, with error feedback, v from
// the compressed gradient.
class NaiveCompressedAdam final : public models::Algorithm {
 public:
  NaiveCompressedAdam()
      : optimizer_(support::read_row(models::optimizers(), "adam", "bias_correction: no")(dimension)),
        exchange_(support::read_row(models::exchanges(), "two_sided_compressed",
                                    "")({ranks, dimension, full, models::Chunking::proportional})) {}

  models::Task run(models::Worker& self) override {
    for (std::int64_t step = 0; step < self.steps(); ++step) {
      self.begin_step(step);
      models::Task gradient = models::own_gradient(self);
      co_await gradient;
      models::Task average = exchange_->average(self, full, self.gradient());
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
    INFO("seed " << seed << ": " << g);
    CHECK(g >= 100.0 * adam(seed));
  }
}

TEST_CASE("a single worker runs the compression phase on its own momentum, uncompressed", "[algorithm]") {
  const std::unique_ptr<const models::Objective> objective =
      support::read_row(models::objectives(), "quadratic", "dimension: 100, noise: {std: 0.1}")
          .make({.seed = 3, .workers = 1});
  support::InstantRun run(support::plain_layout(dimension, dimension), 1, 20, objective.get());
  std::vector<float> x(100), m(100), v(100), g(100);
  run.after_step = [&](std::int64_t step) {
    objective->gradient(x, {0, step, 0, 1}, g);
    for (std::size_t k = 0; k < x.size(); ++k) {
      m[k] = 0.9f * m[k] + 0.1f * g[k];
      if (step < 5) v[k] = 0.999f * v[k] + static_cast<float>(1.0 - 0.999) * (g[k] * g[k]);
      x[k] -= 0.01f * (m[k] / (std::sqrt(v[k]) + 1e-8f));
      CHECK(run.workers[0].weights()[k] == Approx(x[k]).epsilon(1e-5).margin(1e-6));
    }
  };
  const models::AlgorithmSpec spec =
      support::read_row(models::algorithms(), "onebit_adam", "freeze_step: 5, learning_rate: 0.01");
  run.run([&] { return spec.make(support::plain_layout(dimension, dimension), 1, 20); });
  CHECK(run.sent.at("gradient").full_bytes == 0.0);
  CHECK(run.sent.count("sign chunks") == 0);
  CHECK(run.notes.at("freeze_step") == 5.0);
}

TEST_CASE("all workers of 1-bit Adam hold identical weights after every step", "[algorithm]") {
  const auto objective = problem(4);
  support::InstantRun run(layout(), ranks, 60, objective.get());
  run.after_step = [&](std::int64_t) {
    for (support::InstantWorker& worker : run.workers)
      CHECK(std::equal(worker.weights().begin(), worker.weights().end(), run.workers[0].weights().begin()));
  };
  const models::AlgorithmSpec spec =
      support::read_row(models::algorithms(), "onebit_adam", "freeze_step: 30, learning_rate: 0.01");
  run.run([&] { return spec.make(layout(), ranks, 60); });
  CHECK(run.gaps.size() == 60);
}

TEST_CASE("1-bit Adam sends the published bytes per rank and step", "[algorithm]") {
  constexpr std::int64_t parameters = 336226108;  // BERT-Large
  constexpr int n = 64;
  support::InstantRun run(support::plain_layout(parameters, 0), n, 3, nullptr);
  const models::AlgorithmSpec spec = support::read_row(models::algorithms(), "onebit_adam", "freeze_step: 1");
  run.run([&] { return spec.make(support::plain_layout(parameters, 0), n, 3); });
  // Padded to a multiple of n lcm(n, 8) = 4096.
  constexpr std::int64_t padded = (parameters + 4095) / 4096 * 4096;
  CHECK(run.sent.at("gradient").full_bytes == Approx(2.0 * 63 / 64 * 2.0 * static_cast<double>(parameters)));
  CHECK(run.sent.at("sign chunks").full_bytes == 2.0 * 63 * static_cast<double>(padded / (8 * n)));
  CHECK(run.sent.at("averaged signs").full_bytes == 2.0 * 63 * static_cast<double>(padded / (8 * n)));
  CHECK(run.sent.at("scales").full_bytes == 2.0 * 2.0 * 63 * 4);
}

TEST_CASE("an automatic freeze comes when the variance has settled, later for a stricter ratio", "[algorithm]") {
  const auto objective = problem(1);
  const auto freeze_step = [&](const std::string& rule) {
    support::InstantRun run(layout(), ranks, 400, objective.get());
    const models::AlgorithmSpec spec =
        support::read_row(models::algorithms(), "onebit_adam", "automatic_freeze: " + rule + ", " + rate);
    CHECK_FALSE(spec.trajectory_independent_of_time);
    run.run([&] { return spec.make(layout(), ranks, 400); });
    CHECK(run.sent.count("sign chunks") == 1);
    return run.notes.at("freeze_step");
  };
  // With equal gradients |v| grows like t, and the ratio over 20 steps is (t - 20) / t: 0.9 at t = 200. Shrinking
  // gradients bring it forward.
  const double loose = freeze_step("{ratio: 0.9, window: 20}"), strict = freeze_step("{ratio: 0.99, window: 20}");
  CHECK(loose > 20);
  CHECK(loose <= 200);
  CHECK(strict > loose);
}

TEST_CASE("a masked parameter without gradients keeps its value through the compression phase", "[algorithm]") {
  struct Partial final : models::Objective {  // the second half has no gradient
    std::int64_t dimension() const override { return 64; }
    void start(std::span<float> weights) const override { std::fill(weights.begin(), weights.end(), 1.0f); }
    double loss(std::span<const float>) const override { return 1.0; }
    std::optional<double> optimum() const override { return 0.0; }
    void gradient(std::span<const float> weights, const models::Sample&, std::span<float> out) const override {
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = k < 32 ? weights[k] : 0.0f;
    }
    std::string axis() const override { return "partial"; }
  } objective;
  for (const bool masked : {true, false}) {
    support::InstantRun run(support::plain_layout(64, 64), 2, 20, &objective);
    const models::AlgorithmSpec spec = support::read_row(
        models::algorithms(), "onebit_adam",
        std::string("freeze_step: 5, learning_rate: 0.01, momentum_mask: ") + (masked ? "yes" : "no"));
    run.run([&] { return spec.make(support::plain_layout(64, 64), 2, 20); });
    CHECK((run.workers[0].weights()[63] == 1.0f) == masked);
  }
}

TEST_CASE("1-bit Adam's checks find early freezes, padding and missing learning rates", "[algorithm]") {
  const auto found = [](const std::string& keys, int at_ranks, std::int64_t d, std::int64_t of_steps,
                        models::Chunking chunking) {
    return support::read_row(models::algorithms(), "onebit_adam", keys).check(at_ranks, d, of_steps, chunking);
  };
  using models::Chunking;
  CHECK(found("freeze_step: 300, learning_rate: 0.1", 64, 20480, 1200, Chunking::automatic).empty());
  const auto early = found("freeze_step: 299", 64, 0, 1200, Chunking::automatic);
  REQUIRE(early.size() == 1);
  CHECK_FALSE(early[0].error);
  CHECK(early[0].hint == "freeze_step: 300 or later, as freeze_step x (1 - beta2) should reach 0.3");
  CHECK(found("freeze_step: 2000", 4, 0, 1200, Chunking::automatic).size() == 1);
  CHECK(found("freeze_step: 300", 4, 12800, 1200, Chunking::automatic).at(0).key == "learning_rate");
  const auto padded = found("freeze_step: 300, learning_rate: 0.1", 512, 100000, 1200, Chunking::padded);
  REQUIRE(padded.size() == 1);
  CHECK(padded[0].error);
  CHECK(padded[0].message == "at 512 ranks padding adds 162.1 % to the numeric vector of 100000, more than 1 %");
  CHECK(padded[0].hint == "learning.dimension: 259549 (the next that is legal), or learning.chunking: proportional");
  CHECK(found("freeze_step: 300, learning_rate: 0.1", 512, 100000, 1200, Chunking::automatic).empty());
  CHECK(found("automatic_freeze: {}", 4, 0, 1200, Chunking::automatic).at(0).key == "automatic_freeze");
}
