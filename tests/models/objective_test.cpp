#include "models/objective/objective.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "models/base/block_sum.hpp"
#include "models/objective/sparse_rows.hpp"
#include "tests/support/documents.hpp"

namespace {

models::Layout three_layers(std::int64_t each) {
  models::Layout layout;
  for (std::int64_t l = 0; l < 3; ++l) layout.layers.push_back({"layer", each * 1000, l * each, each});
  layout.buckets = {{0, 2, 3000 * each, 0, 3 * each}};
  layout.full_parameters = 3000 * each;
  layout.numeric_parameters = 3 * each;
  return layout;
}

std::unique_ptr<const models::Objective> made(const std::string& row, const std::string& keys, int workers,
                                              const models::Layout& layout) {
  return support::read_row(models::objectives(), row, keys).make({.seed = 5, .workers = workers, .layout = &layout});
}

std::vector<float> at(const models::Objective& objective, float offset) {
  std::vector<float> x(static_cast<std::size_t>(objective.dimension()));
  models::Stream(14, models::Purpose::problem, 0, 0).fill_normal(x);
  for (float& c : x) c = 0.5f * c + offset;
  return x;
}

std::vector<float> gradient(const models::Objective& objective, const std::vector<float>& x,
                            const models::Sample& sample) {
  std::vector<float> g(x.size());
  objective.gradient(x, sample, g);
  return g;
}

}  // namespace

TEST_CASE("every objective's mean gradient is the slope of its loss", "[objective]") {
  const models::Layout layout = three_layers(10);
  for (const auto& row : models::objectives().rows()) {
    INFO(row.name);
    const auto objective = made(std::string(row.name), "dimension: 30", 3, layout);
    CHECK(objective->dimension() == 30);
    const std::vector<float> x = at(*objective, 0.1f);
    std::vector<double> mean(x.size());
    constexpr std::int64_t samples = 20000;
    for (int worker = 0; worker < 3; ++worker) {
      const std::vector<float> g = gradient(*objective, x, {worker, 0, 0, samples});
      for (std::size_t k = 0; k < g.size(); ++k) mean[k] += static_cast<double>(g[k]) / 3.0;
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::vector<float> left = x, right = x;
      left[k] -= 0.01f;
      right[k] += 0.01f;
      const double slope = (objective->loss(right) - objective->loss(left)) /
                           (static_cast<double>(right[k]) - static_cast<double>(left[k]));
      // Sampled rows: standard error about 1 / sqrt(3 x 20000) = 0.004 a coordinate.
      CHECK(mean[k] == Approx(slope).margin(row.name == "logistic_regression" ? 0.025 : 1e-5));
    }
  }
}

TEST_CASE("no point lies below an objective's optimum, and gradient descent gets near it", "[objective]") {
  const models::Layout layout = three_layers(10);
  for (const auto& row : models::objectives().rows()) {
    INFO(row.name);
    const std::string options =
        row.name == "logistic_regression" ? "dimension: 30, regularization: 0.05" : "dimension: 30, heterogeneity: 0.5";
    const auto objective = made(std::string(row.name), options, 3, layout);
    REQUIRE(objective->optimum());
    std::vector<float> x(30);
    objective->start(x);
    const double start_gap = objective->loss(x) - *objective->optimum();
    CHECK(start_gap > 0.0);
    CHECK(objective->loss(at(*objective, 1.0f)) > *objective->optimum());
    for (std::int64_t step = 0; step < 1500; ++step) {
      std::vector<double> mean(x.size());
      for (int worker = 0; worker < 3; ++worker) {
        const auto g = gradient(*objective, x, {worker, step, 0, 64});
        for (std::size_t k = 0; k < x.size(); ++k) mean[k] += static_cast<double>(g[k]) / 3.0;
      }
      for (std::size_t k = 0; k < x.size(); ++k) x[k] -= static_cast<float>((step < 1000 ? 0.5 : 0.05) * mean[k]);
    }
    CHECK(objective->loss(x) - *objective->optimum() > -1e-9);
    CHECK(objective->loss(x) - *objective->optimum() < 0.02 * start_gap);
  }
}

TEST_CASE("the same sample can be asked twice, and other samples differ", "[objective]") {
  const models::Layout layout = three_layers(10);
  for (const auto& row : models::objectives().rows()) {
    INFO(row.name);
    const std::string noise = row.name == "logistic_regression" ? "" : ", noise: {std: 1}";
    const auto objective = made(std::string(row.name), "dimension: 30" + noise, 3, layout);
    const std::vector<float> x = at(*objective, 0.0f);
    const auto base = gradient(*objective, x, {1, 7, 2, 4});
    CHECK(base == gradient(*objective, x, {1, 7, 2, 4}));
    CHECK(base != gradient(*objective, x, {0, 7, 2, 4}));
    CHECK(base != gradient(*objective, x, {1, 8, 2, 4}));
    CHECK(base != gradient(*objective, x, {1, 7, 3, 4}));
  }
}

TEST_CASE("gradient noise has the stated size, by sample or by worker and step, flat or with the curvature",
          "[objective]") {
  const models::Layout layout = three_layers(20000);
  const auto deviation = [&](const std::string& noise, std::int64_t samples) {
    const auto noisy = made("quadratic", "dimension: 60000, condition: 1, noise: " + noise, 1, layout);
    const auto clean = made("quadratic", "dimension: 60000, condition: 1", 1, layout);
    std::vector<float> x(60000);
    auto g = gradient(*noisy, x, {0, 0, 0, samples});
    const auto mean = gradient(*clean, x, {0, 0, 0, samples});
    for (std::size_t k = 0; k < g.size(); ++k) g[k] -= mean[k];
    return std::sqrt(models::sum_of_squares(g) / 60000.0);
  };
  CHECK(deviation("{std: 0.5}", 1) == Approx(0.5).epsilon(0.02));
  CHECK(deviation("{std: 0.5}", 25) == Approx(0.1).epsilon(0.02));
  CHECK(deviation("{std: 0.5, per: worker_step}", 25) == Approx(0.5).epsilon(0.02));
  // tr(Sigma) / |G|^2 = 16 samples at the start, where |G|^2 = d: per sample std 4.
  CHECK(deviation("{noise_scale: 16 samples}", 1) == Approx(4.0).epsilon(0.03));
  const auto curved = made(
      "quadratic", "dimension: 60000, curvature: {min: 3, max: 3}, noise: {std: 0.5, shape: curvature}", 1, layout);
  const auto clean = made("quadratic", "dimension: 60000, curvature: {min: 3, max: 3}", 1, layout);
  std::vector<float> x(60000);
  auto g = gradient(*curved, x, {0, 0, 0, 1});
  const auto mean = gradient(*clean, x, {0, 0, 0, 1});
  for (std::size_t k = 0; k < g.size(); ++k) g[k] -= mean[k];
  CHECK(std::sqrt(models::sum_of_squares(g) / 60000.0) == Approx(1.5).epsilon(0.02));
}

TEST_CASE("a layered quadratic has the stated condition over all layers and flatter later layers", "[objective]") {
  const models::Layout layout = three_layers(50);
  const auto objective = made("layered_quadratic", "dimension: 150, condition: 1000, layer_spread: 10", 1, layout);
  std::vector<float> zero(150), one(150, 1.0f);
  const auto low = gradient(*objective, zero, {}), high = gradient(*objective, one, {});
  std::vector<double> highest(3, 0.0), lowest(3, 1e9);
  for (std::size_t k = 0; k < 150; ++k) {
    const double h = static_cast<double>(high[k] - low[k]);
    highest[k / 50] = std::max(highest[k / 50], h);
    lowest[k / 50] = std::min(lowest[k / 50], h);
  }
  CHECK(highest[0] == Approx(1.0).epsilon(1e-4));
  CHECK(lowest[2] == Approx(0.001).epsilon(1e-2));
  CHECK(highest[2] == Approx(0.1).epsilon(1e-3));
  CHECK(highest[1] / lowest[1] == Approx(100.0).epsilon(1e-2));
}

TEST_CASE("noise or curvature given twice is refused", "[objective]") {
  CHECK_THROWS_WITH(
      support::read_row(models::objectives(), "quadratic", "dimension: 3, noise: {std: 1, noise_scale: 8 samples}"),
      Catch::Contains("given twice"));
  CHECK_THROWS_WITH(support::read_row(models::objectives(), "quadratic",
                                      "dimension: 3, noise: {noise_scale: 8 samples, per: worker_step}"),
                    Catch::Contains("per: sample"));
  CHECK_THROWS_WITH(
      support::read_row(models::objectives(), "quadratic", "dimension: 3, condition: 5, curvature: {min: 1, max: 2}"),
      Catch::Contains("given twice"));
  CHECK_THROWS_WITH(support::read_row(models::objectives(), "quadratic", "dimension: 3, curvature: {min: 3, max: 2}"),
                    Catch::Contains("exceeds the highest"));
}

TEST_CASE("LIBSVM rows are read, and a malformed row is named by file, line and column", "[objective]") {
  const models::SparseRows rows = models::read_libsvm("+1 1:0.5 3:-2\n\n0 2:1e1 # comment\r\n", "a.txt");
  CHECK(rows.rows() == 2);
  CHECK(rows.columns == 3);
  CHECK(rows.label == std::vector<float>{1.0f, -1.0f});
  CHECK(rows.column == std::vector<std::int32_t>{0, 2, 1});
  CHECK(rows.value == std::vector<float>{0.5f, -2.0f, 10.0f});
  const auto failure = [](const std::string& text) {
    try {
      models::read_libsvm(text, "a.txt");
    } catch (const models::Error& error) {
      const models::Diagnostic& d = error.diagnostics().at(0);
      return d.place.file + ":" + std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + " " + d.message;
    }
    return std::string("no error");
  };
  CHECK(failure("1 1:2\nx 1:2\n") == "a.txt:2:1 'x' does not hold a label");
  CHECK(failure("1 1:2\n1 1:2 2;3\n") == "a.txt:2:7 '2;3' is not of the form index:value");
  CHECK(failure("1 0:2\n") == "a.txt:1:3 '0:2' has no whole index from 1");
  CHECK(failure("1 2:2 2:3\n") == "a.txt:1:7 '2:3' comes after a higher or equal index");
  CHECK(failure("1 2:two\n") == "a.txt:1:3 '2:two' does not hold a value");
  CHECK(failure("1 " + std::string(5000, 'y')) ==
        "a.txt:1:3 '" + std::string(40, 'y') + "...' is not of the form index:value");
  CHECK(failure("\n#\n") == "a.txt:0:0 the file holds no rows");
  CHECK(failure("1 1:2\n2 1:2\n3 1:2\n") == "a.txt:0:0 the file has more than two labels");
}

TEST_CASE("a LIBSVM file with more features than the dimension, or fewer rows than workers, is refused",
          "[objective]") {
  const auto make = [](const std::string& dimension, int workers) {
    models::ObjectiveWorld world{.workers = workers};
    world.read_text = [](const std::string&) { return std::string("1 1:1\n-1 4:1\n"); };
    return support::read_row(models::objectives(), "logistic_regression", "file: a.txt, dimension: " + dimension)
        .make(world);
  };
  CHECK(make("4", 2)->optimum().has_value());
  CHECK_THROWS_WITH(make("3", 2), Catch::Contains("has features up to 4"));
  CHECK_THROWS_WITH(make("4", 3), Catch::Contains("has 2 rows for 3 workers"));
}
