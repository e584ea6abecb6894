// f_i(x) = 1/2 sum_k h_k (x_k - b_ik)^2 on worker i, with gradient noise. Curvatures h are spread evenly in log scale
// over a range and permuted; b_i = common N(0, 1) + heterogeneity N(0, 1), the start is x = 0, and the mean over
// workers has its optimum at the mean of the b_i.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "models/base/block_sum.hpp"
#include "models/base/elementary.hpp"
#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/base/units.hpp"
#include "models/kernel/descent.hpp"
#include "models/objective/noise.hpp"
#include "models/objective/objective.hpp"

namespace models {
namespace {

// Items of the problem's streams.
enum Item : std::uint32_t { order_item = 0, centre_item = 1, difference_item = 2 };

struct QuadraticOptions {
  std::int64_t dimension = 0;
  double lowest = 0.01, highest = 1.0;  // curvature
  double layer_spread = 1.0;            // the highest curvature of the first layer over that of the last
  double heterogeneity = 0.0;
  Noise noise;
};

// Evenly spaced in log scale from `high` down to `low`, in an order drawn from `stream`.
void spread_evenly(std::span<float> curvature, double low, double high, Stream stream) {
  const std::size_t count = curvature.size();
  const double log_ratio = natural_log(low / high);
  for (std::size_t k = 0; k < count; ++k) {
    const double share = count == 1 ? 0.0 : static_cast<double>(k) / static_cast<double>(count - 1);
    curvature[k] = static_cast<float>(high * exponential_of(log_ratio * share));
  }
  for (std::size_t k = count; k > 1; --k) std::swap(curvature[k - 1], curvature[stream.index(k)]);
}

class Quadratic final : public Objective {
 public:
  Quadratic(const QuadraticOptions& options, const ObjectiveWorld& world, std::string name)
      : noise_(options.noise),
        seed_(world.seed),
        name_(std::move(name)),
        curvature_(static_cast<std::size_t>(options.dimension)),
        centre_(curvature_.size()) {
    draw_curvature(options, world);
    Stream(seed_, Purpose::problem, 0, 0, centre_item).fill_normal(centre_);
    if (options.heterogeneity > 0.0) draw_workers(options.heterogeneity, world.workers);
    if (noise_.noise_scale > 0.0) set_noise_scale();
  }

  std::int64_t dimension() const override { return static_cast<std::int64_t>(curvature_.size()); }
  void start(std::span<float> weights) const override { std::fill(weights.begin(), weights.end(), 0.0f); }
  double loss(std::span<const float> weights) const override {
    return 0.5 * weighted_square_distance(weights, centre_, curvature_) + floor_;
  }
  std::optional<double> optimum() const override { return floor_; }

  void gradient(std::span<const float> weights, const Sample& sample, std::span<float> out) const override {
    const std::vector<float>& centre =
        worker_centres_.empty() ? centre_ : worker_centres_[static_cast<std::size_t>(sample.worker)];
    const float std = static_cast<float>(noise_std(noise_, sample.samples));
    const Stream stream(seed_, Purpose::data_noise, static_cast<std::uint32_t>(sample.worker),
                        static_cast<std::uint32_t>(sample.step), static_cast<std::uint32_t>(sample.micro_batch));
    constexpr std::size_t block = 2048;  // stays in the first-level cache
    for (std::size_t first = 0; first < out.size(); first += block) {
      const std::size_t count = std::min(block, out.size() - first);
      const auto part = out.subspan(first, count);
      if (std > 0.0f)
        stream.fill_normal(part, first);
      else
        std::fill(part.begin(), part.end(), 0.0f);
      const auto gradient_of =
          noise_.shape == NoiseShape::curvature ? quadratic_gradient_curved_noise : quadratic_gradient;
      gradient_of(weights.subspan(first, count), std::span(centre).subspan(first, count),
                  std::span(curvature_).subspan(first, count), std, part);
    }
  }

  std::string axis() const override { return "gap of " + name_ + ", d = " + std::to_string(curvature_.size()); }

 private:
  void draw_curvature(const QuadraticOptions& options, const ObjectiveWorld& world) {
    std::vector<std::pair<std::int64_t, std::int64_t>> slices = {{0, options.dimension}};
    if (options.layer_spread > 1.0) {
      ensure(world.layout != nullptr && world.layout->numeric_parameters == options.dimension,
             "a layered objective needs the layout of its numeric vector");
      slices.clear();
      for (const LayerSlice& layer : world.layout->layers)
        slices.emplace_back(layer.numeric_begin, layer.numeric_count);
    }
    const double within = options.highest / options.lowest / options.layer_spread;
    for (std::size_t l = 0; l < slices.size(); ++l) {
      const double share = slices.size() == 1 ? 0.0 : static_cast<double>(l) / static_cast<double>(slices.size() - 1);
      const double high = options.highest * exponential_of(-share * natural_log(options.layer_spread));
      const double low = slices.size() == 1 ? options.lowest : high / within;
      const auto part =
          std::span(curvature_)
              .subspan(static_cast<std::size_t>(slices[l].first), static_cast<std::size_t>(slices[l].second));
      spread_evenly(part, low, high, Stream(seed_, Purpose::problem, 0, static_cast<std::uint32_t>(l), order_item));
    }
  }

  // centre_ becomes the mean of the workers' centres, floor_ the loss there: 1/2 sum_k h_k var_k.
  void draw_workers(double heterogeneity, int workers) {
    worker_centres_.assign(static_cast<std::size_t>(workers), std::vector<float>(centre_.size()));
    std::vector<double> mean(centre_.size());
    for (std::size_t i = 0; i < worker_centres_.size(); ++i) {
      std::vector<float>& centre = worker_centres_[i];
      Stream(seed_, Purpose::problem, static_cast<std::uint32_t>(i), 0, difference_item).fill_normal(centre);
      for (std::size_t k = 0; k < centre.size(); ++k) {
        centre[k] = centre_[k] + static_cast<float>(heterogeneity) * centre[k];
        mean[k] += static_cast<double>(centre[k]) / static_cast<double>(workers);
      }
    }
    for (std::size_t k = 0; k < mean.size(); ++k) centre_[k] = static_cast<float>(mean[k]);
    for (const std::vector<float>& centre : worker_centres_)
      floor_ += 0.5 * weighted_square_distance(centre, centre_, curvature_) / static_cast<double>(workers);
  }

  void set_noise_scale() {
    double gradient_square = 0.0, shape_square = 0.0;
    for (std::size_t k = 0; k < centre_.size(); ++k) {
      const double h = static_cast<double>(curvature_[k]), slope = h * static_cast<double>(centre_[k]);
      gradient_square += slope * slope;
      shape_square += noise_.shape == NoiseShape::curvature ? h * h : 1.0;
    }
    noise_.std = std::sqrt(noise_.noise_scale * gradient_square / shape_square);
  }

  Noise noise_;
  std::uint64_t seed_;
  std::string name_;
  std::vector<float> curvature_, centre_;
  std::vector<std::vector<float>> worker_centres_;  // empty: all workers share centre_
  double floor_ = 0.0;                              // f*
};

// condition, or {curvature: {min, max}}.
void read_curvature(Params& params, QuadraticOptions& options) {
  const bool both = params.has("condition") && params.has("curvature");
  const double condition =
      params.number("condition", {1.0, 1e12}, "highest over lowest curvature; the highest is 1", 100.0);
  options.lowest = 1.0 / condition;
  std::optional<Params> range =
      params.optional_section("curvature", "lowest and highest curvature, instead of `condition`");
  if (!range) return;
  options.lowest = range->number("min", positive, "lowest curvature", 0.01);
  options.highest = range->number("max", positive, "highest curvature", 1.0);
  if (params.describing()) return;
  if (options.lowest > options.highest) range->report("min", "the lowest curvature exceeds the highest");
  if (both) params.report("curvature", "curvature is given twice, by condition and by its range", "keep one of them");
}

QuadraticOptions read_options(Params& params) {
  QuadraticOptions options;
  options.dimension = params.count("dimension", {1.0, 1e9}, "parameters of the numeric plane");
  read_curvature(params, options);
  options.heterogeneity = params.number("heterogeneity", not_negative,
                                        "distance of the workers' optima from their common one, per coordinate", 0.0);
  options.noise = read_noise(params);
  return options;
}

ObjectiveSpec spec(const QuadraticOptions& options, const char* name) {
  return {
      options.dimension,
      [options, name](const ObjectiveWorld& world) { return std::make_unique<const Quadratic>(options, world, name); },
      [options](int workers) {  // curvature and centre; with heterogeneity every worker's own, and their mean
        const double vectors = options.heterogeneity > 0.0 ? 4.0 + workers : 2.0;
        return vectors * static_cast<double>(options.dimension) * Bytes{sizeof(float)};
      }};
}

}  // namespace

ObjectiveSpec read_quadratic(Params& params) { return spec(read_options(params), "quadratic"); }

ObjectiveSpec read_layered_quadratic(Params& params) {
  QuadraticOptions options = read_options(params);
  const double spread =
      params.number("layer_spread", {1.0, 1e12},
                    "highest curvature of the first layer over that of the last, at most the condition", 10.0);
  options.layer_spread = std::min(spread, options.highest / options.lowest);
  return spec(options, "layered_quadratic");
}

}  // namespace models
