// What bagua_bandwidth.yaml takes from BytePS can be worked out again; what it predicts is judged against the naive
// model.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

namespace {

// BERT-Large as transformers' BertForQuestionAnswering names its parameters.
std::vector<std::pair<std::string, std::int64_t>> gradients() {
  constexpr std::int64_t h = 1024, inner = 4096, words = 30522, positions = 512, types = 2, blocks = 24;
  const std::string embeddings = "bert.embeddings.";
  std::vector<std::pair<std::string, std::int64_t>> all{{embeddings + "word_embeddings.weight", words * h},
                                                        {embeddings + "position_embeddings.weight", positions * h},
                                                        {embeddings + "token_type_embeddings.weight", types * h},
                                                        {embeddings + "LayerNorm.weight", h},
                                                        {embeddings + "LayerNorm.bias", h},
                                                        {"bert.pooler.dense.weight", h * h},
                                                        {"bert.pooler.dense.bias", h},
                                                        {"qa_outputs.weight", types * h},
                                                        {"qa_outputs.bias", types}};
  const auto dense = [&all](const std::string& name, std::int64_t rows, std::int64_t columns) {
    all.emplace_back(name + ".weight", rows * columns);
    all.emplace_back(name + ".bias", rows);
  };
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::string layer = "bert.encoder.layer." + std::to_string(block) + ".";
    for (const char* part : {"query", "key", "value"}) dense(layer + "attention.self." + part, h, h);
    dense(layer + "attention.output.dense", h, h);
    dense(layer + "attention.output.LayerNorm", h, 1);
    dense(layer + "intermediate.dense", inner, h);
    dense(layer + "output.dense", h, inner);
    dense(layer + "output.LayerNorm", h, 1);
  }
  return all;
}

// byteps/common/global.cc: DJB2 of the decimal text of the key.
std::uint64_t djb2(std::uint64_t key) {
  std::uint64_t hash = 5381;
  for (const char digit : std::to_string(key)) hash = (hash << 5) + hash + static_cast<std::uint64_t>(digit);
  return hash;
}

// Gradients are declared in the order of their names; key = number << 16, plus the partition's.
std::vector<double> loads_MB(std::size_t servers) {
  constexpr std::int64_t partition = 4'096'000, bytes_of_fp32 = 4;
  auto all = gradients();
  std::sort(all.begin(), all.end());
  std::vector<double> loads(servers);
  for (std::size_t number = 0; number < all.size(); ++number) {
    std::uint64_t key = static_cast<std::uint64_t>(number) << 16;
    for (std::int64_t left = bytes_of_fp32 * all[number].second; left > 0; left -= partition)
      loads[djb2(key++) % servers] += static_cast<double>(std::min(left, partition)) / 1e6;
  }
  return loads;
}

std::vector<double> numbers_after(const std::string& text, const std::string& key) {
  std::istringstream list(text.substr(text.find(key) + key.size()));
  std::vector<double> numbers;
  for (char separator = 0; list >> separator && separator != ']';) {
    double number = 0.0;
    list >> number;
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

TEST_CASE("the servers' loads of the BAGUA scenario are BytePS's placement of BERT-Large", "[paper]") {
  std::ifstream file(SOURCE_DIR "/scenarios/paper/bagua_bandwidth.yaml");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  REQUIRE(!text.empty());
  const std::vector<double> written = numbers_after(text, "loads: "), worked_out = loads_MB(16);
  REQUIRE(written.size() == worked_out.size());
  for (std::size_t i = 0; i < written.size(); ++i) CHECK(written[i] == Approx(worked_out[i]).margin(0.006));
}

// Reference rows of verify: "projected_total_time_s  ddp, bandwidth 1 Gb/s  2517 s  2590 s  -2.8 % ...". The naive
// model is that of the literature we compare with: 115.4 steps, the longer of 0.53 s of compute and 2 x 15/16 x 4 bytes
// x 336e6 over the bandwidth.
TEST_CASE("the BAGUA bandwidth curve is within its tolerances, and nearer than the naive model", "[paper][slow]") {
  const support::Finished verified =
      support::run_program({"verify", SOURCE_DIR "/scenarios/paper/bagua_bandwidth.yaml", "--quiet"});
  INFO(verified.out << verified.errors);
  CHECK(verified.exit_code == 0);
  double error = 0.0, naive_error = 0.0;
  int rows = 0;
  std::istringstream lines(verified.out.substr(0, verified.out.find("fitted: ")));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(", bandwidth ");
    if (line.rfind("projected_total_time_s ", 0) != 0 || at == std::string::npos) continue;
    std::istringstream cells(line.substr(at + std::string(", bandwidth ").size()));
    double bandwidth = 0.0, simulated = 0.0, published = 0.0;
    std::string unit;
    cells >> bandwidth >> unit >> simulated >> unit >> published;
    REQUIRE(published > 0.0);
    const double naive = 115.4 * std::max(0.53, 2.0 * 15.0 / 16.0 * 4.0 * 336e6 * 8.0 / (bandwidth * 1e9));
    error += std::abs(simulated / published - 1.0);
    naive_error += std::abs(naive / published - 1.0);
    ++rows;
  }
  REQUIRE(rows == 16);
  std::printf("BAGUA bandwidth curve, mean error of %d predicted rows: %.1f %%, naive model %.1f %%\n", rows,
              100.0 * error / rows, 100.0 * naive_error / rows);
  CHECK(error < naive_error);
}
