#pragma once
// The quadratics of the published property tests: f_i(x) = 1/2 sum_k a_k (x_k - b_ik)^2, a spread evenly in log scale,
// b_i = offset + common N(0, 1) + own N(0, 1), gradients with additive noise, start 0.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "models/algorithm/algorithm.hpp"
#include "models/objective/objective.hpp"
#include "tests/support/documents.hpp"
#include "tests/support/instant_worker.hpp"

namespace support {

struct SpreadProblem {
  int workers = 8;
  std::int64_t dimension = 400;
  double lowest = 0.05, highest = 1.0, offset = 0.0, common = 1.0, own = 1.0, noise = 0.1;
};

class SpreadQuadratic final : public models::Objective {
 public:
  SpreadQuadratic(const SpreadProblem& problem, std::uint64_t seed) : problem_(problem), seed_(seed) {
    const auto d = static_cast<std::size_t>(problem.dimension);
    curvature_.resize(d);
    for (std::size_t k = 0; k < d; ++k)
      curvature_[k] = problem.lowest *
                      std::pow(problem.highest / problem.lowest, static_cast<double>(k) / static_cast<double>(d - 1));
    std::vector<float> shared = normal(0, d);
    mean_.assign(d, 0.0);
    for (int i = 0; i < problem.workers; ++i) {
      const std::vector<float> own = normal(static_cast<std::uint32_t>(i) + 1, d);
      std::vector<double> centre(d);
      for (std::size_t k = 0; k < d; ++k) {
        centre[k] = problem.offset + problem.common * static_cast<double>(shared[k]) +
                    problem.own * static_cast<double>(own[k]);
        mean_[k] += centre[k] / problem.workers;
      }
      centres_.push_back(std::move(centre));
    }
  }
  std::int64_t dimension() const override { return problem_.dimension; }
  void start(std::span<float> weights) const override { std::fill(weights.begin(), weights.end(), 0.0f); }
  double loss(std::span<const float> weights) const override {
    double sum = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double away = static_cast<double>(weights[k]) - mean_[k];
      sum += 0.5 * curvature_[k] * away * away;
    }
    return sum;
  }
  std::optional<double> optimum() const override { return 0.0; }
  void gradient(std::span<const float> weights, const models::Sample& sample, std::span<float> out) const override {
    models::Stream(seed_, models::Purpose::data_noise, static_cast<std::uint32_t>(sample.worker),
                   static_cast<std::uint32_t>(sample.step), 0)
        .fill_normal(out);
    const std::vector<double>& centre = centres_[static_cast<std::size_t>(sample.worker)];
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = static_cast<float>(curvature_[k] * (static_cast<double>(weights[k]) - centre[k]) +
                                  problem_.noise * static_cast<double>(out[k]));
  }
  std::string axis() const override { return "gap of spread_quadratic"; }

 private:
  std::vector<float> normal(std::uint32_t owner, std::size_t count) const {
    std::vector<float> values(count);
    models::Stream(seed_, models::Purpose::problem, owner, 0).fill_normal(values);
    return values;
  }
  SpreadProblem problem_;
  std::uint64_t seed_;
  std::vector<double> curvature_, mean_;
  std::vector<std::vector<double>> centres_;
};

// Runs an algorithm on it; `after_step` sees the weights of worker 0.
struct SpreadRun {
  std::vector<double> gaps;
  std::vector<std::vector<float>> weights;  // of worker 0 after every step, when wanted
};
enum class KeepWeights { no, yes };
inline SpreadRun run_on(const SpreadProblem& problem, std::uint64_t seed, const std::string& algorithm,
                        const std::string& keys, std::int64_t steps, KeepWeights keep = KeepWeights::no) {
  const SpreadQuadratic objective(problem, seed);
  const models::Layout layout = plain_layout(problem.dimension, problem.dimension);
  InstantRun run(layout, problem.workers, steps, &objective);
  run.diverged_above = 1e30;
  SpreadRun result;
  if (keep == KeepWeights::yes)
    run.after_step = [&](std::int64_t) {
      const auto weights = run.workers[0].weights();
      result.weights.emplace_back(weights.begin(), weights.end());
    };
  const models::AlgorithmSpec spec = read_row(models::algorithms(), algorithm, keys);
  run.run([&] { return spec.make(layout, problem.workers, steps); });
  result.gaps = run.gaps;
  return result;
}

// Mean of the last `count` gaps; 1e30 for a run that diverged.
inline double tail(const SpreadRun& run, std::int64_t steps, std::int64_t count) {
  if (run.gaps.size() < static_cast<std::size_t>(steps)) return 1e30;
  return std::accumulate(run.gaps.end() - count, run.gaps.end(), 0.0) / static_cast<double>(count);
}

}  // namespace support
