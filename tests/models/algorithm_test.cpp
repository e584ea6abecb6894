#include "models/algorithm/algorithm.hpp"

#include <catch2/catch.hpp>

#include "tests/support/documents.hpp"
#include "tests/support/instant_worker.hpp"

namespace {

std::string keys_of(std::string_view row) {
  if (row == "onebit_adam") return "freeze_step: 300, ";
  if (row == "compressed_sgd") return "compressor: {name: top_k, keep: 10 %}, ";
  if (row == "error_compensated_x") return "compressor: {name: one_bit, scale: l1}, ";
  return row == "lars" ? "trust: 0.5, " : "";
}

// Bytes per parameter between steps, by row.
double state_bytes(std::string_view row) {
  if (row == "sgd" || row == "compressed_sgd" || row == "double_squeeze" || row == "sign_sgd") return 0.0;
  if (row == "lars" || row == "error_compensated_x") return 4.0;
  if (row == "adam_8bit") return 2.0 + 2.0 * 2 * 4 / 4000;  // two averages of two blocks with a scale each
  return 8.0;
}

// Bytes of kept errors per parameter with four ranks: a worker's whole, a server's quarter; ErrorCompensatedX keeps
// two.
double error_bytes(std::string_view row) {
  if (row == "onebit_adam" || row == "double_squeeze") return 5.0;
  if (row == "error_compensated_x") return 10.0;
  return row == "compressed_sgd" ? 4.0 : 0.0;
}

// Full-precision rings of the gradient over 3 ranks: bytes sent by one in four steps of 4,000 parameters.
double gradient_bytes(std::string_view row) {
  const bool own =
      row == "compressed_sgd" || row == "double_squeeze" || row == "sign_sgd" || row == "error_compensated_x";
  return own ? 0.0 : (row == "onebit_adam" ? 2 : 4) * 2.0 * 2 / 3 * 2 * 4000;
}

models::Layout two_buckets(std::int64_t numeric) {
  models::Layout layout;
  layout.layers = {{"first", 3000, 0, numeric / 2}, {"second", 1000, numeric / 2, numeric - numeric / 2}};
  layout.buckets = {{1, 1, 1000, numeric / 2, numeric - numeric / 2}, {0, 0, 3000, 0, numeric / 2}};
  layout.full_parameters = 4000;
  layout.numeric_parameters = numeric;
  layout.chunking = models::Chunking::proportional;
  return layout;
}

}  // namespace

TEST_CASE("every algorithm lowers the loss of a quadratic", "[algorithm]") {
  const auto objective = support::read_row(models::objectives(), "quadratic",
                                           "dimension: 64, condition: 10, heterogeneity: 0.2, noise: {std: 0.01}")
                             .make({.seed = 1, .workers = 3});
  for (const auto& row : models::algorithms().rows()) {
    INFO(row.name);
    const models::AlgorithmSpec spec = support::read_row(
        models::algorithms(), row.name, keys_of(row.name) + "learning_rate: {peak: 0.02, schedule: linear}");
    support::InstantRun run(two_buckets(64), 3, 900, objective.get());
    run.run([&] { return spec.make(two_buckets(64), 3, 900); });
    REQUIRE(run.gaps.size() == 900);
    CHECK(run.gaps.back() < 0.05 * run.gaps.front());
  }
}

TEST_CASE("every algorithm sends and computes the same with and without numbers", "[algorithm]") {
  const auto objective =
      support::read_row(models::objectives(), "quadratic", "dimension: 64").make({.seed = 1, .workers = 3});
  for (const auto& row : models::algorithms().rows()) {
    INFO(row.name);
    const std::string freeze = row.name == "onebit_adam" ? "freeze_step: 2, " : "";
    const models::AlgorithmSpec spec =
        support::read_row(models::algorithms(), row.name, freeze + "learning_rate: 0.001, step_overhead: 75 ms");
    support::InstantRun learning(two_buckets(64), 3, 4, objective.get()), timing(two_buckets(0), 3, 4, nullptr);
    learning.run([&] { return spec.make(two_buckets(64), 3, 4); });
    timing.run([&] { return spec.make(two_buckets(0), 3, 4); });
    REQUIRE(learning.kernels.size() == timing.kernels.size());
    double overhead = 0.0;
    for (std::size_t i = 0; i < timing.kernels.size(); ++i) {
      CHECK(learning.kernels[i].bytes == timing.kernels[i].bytes);
      overhead += timing.kernels[i].fixed.value;
    }
    CHECK(overhead == Approx(4 * 0.075));
    REQUIRE(learning.sent.size() == timing.sent.size());
    for (const auto& [name, sent] : timing.sent) CHECK(sent.full_bytes == learning.sent.at(name).full_bytes);
    const auto gradient = timing.sent.find("gradient");
    CHECK((gradient == timing.sent.end() ? 0.0 : gradient->second.full_bytes) == Approx(gradient_bytes(row.name)));
  }
}

TEST_CASE("an algorithm stops when the run tells it to", "[algorithm]") {
  const auto objective =
      support::read_row(models::objectives(), "quadratic", "dimension: 64").make({.seed = 1, .workers = 3});
  support::InstantRun run(two_buckets(64), 3, 1000, objective.get());
  run.diverged_above = 100.0;
  const models::AlgorithmSpec spec = support::read_row(models::algorithms(), "sgd", "learning_rate: 3");
  run.run([&] { return spec.make(two_buckets(64), 3, 1000); });
  CHECK(run.gaps.size() < 50);
}

TEST_CASE("every algorithm declares its keys, its memory and its need of a learning rate", "[algorithm]") {
  models::Group group;
  for (int i = 0; i < 4; ++i) group.ranks.push_back(static_cast<models::Rank>(i));
  for (const auto& row : models::algorithms().rows()) {
    INFO(row.name);
    CHECK(support::described(row).size() > 3);
    const models::AlgorithmSpec spec =
        support::read_row(models::algorithms(), row.name, row.name == "onebit_adam" ? "freeze_step: 300" : "");
    const auto findings = spec.check(4, 12800, 1200);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].key == "learning_rate");
    CHECK(findings[0].error);
    CHECK(spec.check(4, 0, 1200).empty());
    double state = 0.0, feedback = 0.0;
    for (const models::Buffer& buffer : spec.make(two_buckets(0), 4, 1200)->buffers(two_buckets(0), group)) {
      if (buffer.category == models::MemoryCategory::optimizer_state) state += buffer.size.value;
      if (buffer.category == models::MemoryCategory::error_feedback) feedback += buffer.size.value;
    }
    CHECK(state == Approx(state_bytes(row.name) * 4000).epsilon(1e-12));
    CHECK(feedback == error_bytes(row.name) * 4000);
  }
}
