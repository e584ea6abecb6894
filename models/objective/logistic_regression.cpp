// f(x) = mean over workers of the mean over their rows of ln(1 + exp(-label row x)), + regularization / 2 |x|^2.
// Rows are drawn, or read from a LIBSVM file (Chang and Lin: LIBSVM, ACM TIST 2, 2011), and dealt to the workers in
// turn.

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/base/elementary.hpp"
#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/objective/objective.hpp"
#include "models/objective/sparse_rows.hpp"

namespace models {
namespace {

struct LogisticOptions {
  std::int64_t dimension = 0, rows = 0;
  double regularization = 0.0, flipped = 0.0;
  std::string file;
  Place file_place, dimension_place;
};

enum Item : std::uint32_t { teacher_item = 0, row_item = 1, flip_item = 2 };

// Features N(0, 1); the label is the side of a drawn plane, flipped for a share of the rows.
SparseRows drawn_rows(const LogisticOptions& options, std::uint64_t seed) {
  const auto d = static_cast<std::size_t>(options.dimension);
  std::vector<float> teacher(d), row(d);
  Stream(seed, Purpose::problem, 0, 0, teacher_item).fill_normal(teacher);
  SparseRows rows;
  rows.columns = options.dimension;
  for (std::int64_t r = 0; r < options.rows; ++r) {
    const auto owner = static_cast<std::uint32_t>(r);
    Stream(seed, Purpose::problem, owner, 0, row_item).fill_normal(row);
    double side = 0.0;
    for (std::size_t k = 0; k < d; ++k) {
      side += static_cast<double>(teacher[k]) * static_cast<double>(row[k]);
      rows.column.push_back(static_cast<std::int32_t>(k));
      rows.value.push_back(row[k]);
    }
    const bool flip = Stream(seed, Purpose::problem, owner, 0, flip_item).uniform() < options.flipped;
    rows.label.push_back((side >= 0.0) != flip ? 1.0f : -1.0f);
    rows.begin.push_back(static_cast<std::int64_t>(rows.column.size()));
  }
  return rows;
}

class LogisticRegression final : public Objective {
 public:
  LogisticRegression(SparseRows rows, const LogisticOptions& options, const ObjectiveWorld& world)
      : rows_(std::move(rows)),
        dimension_(options.dimension),
        regularization_(options.regularization),
        seed_(world.seed),
        workers_(world.workers) {
    find_optimum();
  }

  std::int64_t dimension() const override { return dimension_; }
  void start(std::span<float> weights) const override { std::fill(weights.begin(), weights.end(), 0.0f); }
  std::optional<double> optimum() const override { return optimum_; }
  std::string axis() const override { return "gap of logistic_regression, d = " + std::to_string(dimension_); }

  double loss(std::span<const float> weights) const override {
    const std::vector<double> exact(weights.begin(), weights.end());
    return value_and_slope(exact, nullptr);
  }

  // Rows with replacement from the worker's own, as many as samples.
  void gradient(std::span<const float> weights, const Sample& sample, std::span<float> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(regularization_) * weights[k];
    Stream stream(seed_, Purpose::data_noise, static_cast<std::uint32_t>(sample.worker),
                  static_cast<std::uint32_t>(sample.step), static_cast<std::uint32_t>(sample.micro_batch));
    const auto own = static_cast<std::uint64_t>(rows_of(sample.worker));
    for (std::int64_t s = 0; s < sample.samples; ++s) {
      const std::int64_t row = sample.worker + static_cast<std::int64_t>(stream.index(own)) * workers_;
      const double factor = slope_factor(row, margin(row, weights)) / static_cast<double>(sample.samples);
      each_entry(row, [&](std::size_t k, float value) { out[k] += static_cast<float>(factor) * value; });
    }
  }

 private:
  std::int64_t rows_of(int worker) const { return (rows_.rows() - worker + workers_ - 1) / workers_; }

  template <class Body>
  void each_entry(std::int64_t row, const Body& body) const {
    const auto r = static_cast<std::size_t>(row);
    for (auto e = static_cast<std::size_t>(rows_.begin[r]); e < static_cast<std::size_t>(rows_.begin[r + 1]); ++e)
      body(static_cast<std::size_t>(rows_.column[e]), rows_.value[e]);
  }
  template <class Weights>
  double margin(std::int64_t row, const Weights& weights) const {
    double dot = 0.0;
    each_entry(
        row, [&](std::size_t k, float value) { dot += static_cast<double>(value) * static_cast<double>(weights[k]); });
    return dot * static_cast<double>(rows_.label[static_cast<std::size_t>(row)]);
  }
  // d/d(row x) of ln(1 + exp(-margin)).
  double slope_factor(std::int64_t row, double at) const {
    return -static_cast<double>(rows_.label[static_cast<std::size_t>(row)]) / (1.0 + exponential_of(at));
  }

  double value_and_slope(const std::vector<double>& x, std::vector<double>* slope) const {
    double value = 0.0;
    for (const double c : x) value += 0.5 * regularization_ * c * c;
    if (slope != nullptr)
      for (std::size_t k = 0; k < x.size(); ++k) (*slope)[k] = regularization_ * x[k];
    for (std::int64_t row = 0; row < rows_.rows(); ++row) {
      const double weight =
          1.0 / (static_cast<double>(workers_) * static_cast<double>(rows_of(static_cast<int>(row % workers_))));
      const double at = margin(row, x);
      const double small = natural_log(1.0 + exponential_of(-std::fabs(at)));
      value += weight * (small + std::max(0.0, -at));
      if (slope == nullptr) continue;
      const double factor = weight * slope_factor(row, at);
      each_entry(row, [&](std::size_t k, float entry) { (*slope)[k] += factor * static_cast<double>(entry); });
    }
    return value;
  }

  // Nesterov's method for strongly convex functions (Introductory Lectures, 2004, scheme 2.2.11) until |slope|^2 / (2
  // mu), which bounds f - f*, is a 1e-12 of the loss at the start. An optimum not reached in time stays unknown.
  void find_optimum() {
    if (regularization_ <= 0.0) return;
    double square = 0.0;
    for (const float v : rows_.value) square += static_cast<double>(v) * static_cast<double>(v);
    const double highest =
        0.25 * square / static_cast<double>(std::max<std::int64_t>(1, rows_.rows() / workers_ * workers_)) +
        regularization_;
    const double ratio = std::sqrt(regularization_ / highest), momentum = (1.0 - ratio) / (1.0 + ratio);
    std::vector<double> x(static_cast<std::size_t>(dimension_)), y = x, slope(x.size());
    constexpr int most = 5000;
    constexpr double tolerance = 1e-12;
    for (int i = 0; i < most; ++i) {
      const double value = value_and_slope(y, &slope);
      double norm = 0.0;
      for (const double c : slope) norm += c * c;
      if (norm / (2.0 * regularization_) < tolerance) {
        optimum_ = value;
        return;
      }
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double next = y[k] - slope[k] / highest;
        y[k] = next + momentum * (next - x[k]);
        x[k] = next;
      }
    }
  }

  SparseRows rows_;
  std::int64_t dimension_;
  double regularization_;
  std::uint64_t seed_;
  int workers_;
  std::optional<double> optimum_;
};

SparseRows rows_for(const LogisticOptions& options, const ObjectiveWorld& world) {
  if (options.file.empty()) return drawn_rows(options, world.seed);
  ensure(static_cast<bool>(world.read_text), "an objective with a file needs a reader of files");
  SparseRows rows = read_libsvm(world.read_text(options.file), options.file);
  if (rows.columns > options.dimension)
    throw Error(
        options.dimension_place,
        "'" + options.file + "' has features up to " + std::to_string(rows.columns) + ", more than the dimension",
        "dimension: " + std::to_string(rows.columns));
  if (rows.rows() < world.workers)
    throw Error(options.file_place,
                "'" + options.file + "' has " + std::to_string(rows.rows()) + " rows for " +
                    std::to_string(world.workers) + " workers",
                "every worker needs a row of its own");
  return rows;
}

}  // namespace

ObjectiveSpec read_logistic_regression(Params& params) {
  LogisticOptions options;
  options.dimension = params.count("dimension", {1.0, 1e8}, "features");
  options.regularization = params.number("regularization", not_negative, "weight of |x|^2 / 2", 1e-3);
  options.file = params.text("file", "LIBSVM file of labelled rows, instead of drawn ones", "");
  options.rows = params.count("rows", {1.0, 1e8}, "rows to draw, at least one per worker", 4096);
  options.flipped = params.fraction("label_noise", {0.0, 0.5}, "share of the drawn labels that are wrong", 0.05);
  options.file_place = params.place("file");
  options.dimension_place = params.place("dimension");
  return {options.dimension,
          [options](const ObjectiveWorld& world) {
            LogisticOptions fitted = options;
            fitted.rows = std::max<std::int64_t>(fitted.rows, world.workers);
            return std::make_unique<const LogisticRegression>(rows_for(fitted, world), fitted, world);
          },
          [options](int workers) {  // the drawn rows, dense, each entry with its column; of a file unknown
            const double rows = static_cast<double>(std::max<std::int64_t>(options.rows, workers));
            const Bytes entry{sizeof(float) + sizeof(std::int32_t)};
            return options.file.empty() ? rows * static_cast<double>(options.dimension) * entry : Bytes{};
          }};
}

}  // namespace models
