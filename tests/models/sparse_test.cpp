// Compressors that send some elements and where they are.

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "models/base/block_sum.hpp"
#include "models/compression/compressor.hpp"
#include "models/compression/sparse.hpp"
#include "tests/support/documents.hpp"

namespace {

std::vector<float> gaussian(std::size_t count, std::uint32_t owner = 0) {
  std::vector<float> values(count);
  models::Stream(11, models::Purpose::problem, owner, 0).fill_normal(values);
  return values;
}
models::Stream dither(std::uint32_t draw) { return {1, models::Purpose::dither, 0, draw}; }

std::unique_ptr<models::Compressor> made(const char* name, const char* keys) {
  return support::read_row(models::compressors(), name, keys)();
}

std::vector<float> through(const models::Compressor& compressor, const std::vector<float>& values,
                           std::uint32_t draw = 0) {
  std::vector<float> decoded(values.size());
  compressor.decode(compressor.encode(values, dither(draw)), decoded);
  return decoded;
}

double relative_error(const std::vector<float>& values, const std::vector<float>& got) {
  double error = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k)
    error += std::pow(static_cast<double>(values[k]) - static_cast<double>(got[k]), 2);
  return error / models::sum_of_squares(values);
}

}  // namespace

TEST_CASE("the largest magnitudes are those that sorting finds, ties to the lower position", "[compression]") {
  for (const std::size_t count : {1UL, 2UL, 17UL, 1000UL, 5003UL}) {
    std::vector<float> values = gaussian(count, 3);
    for (std::size_t k = 0; k < count; k += 3) values[k] = k % 2 == 0 ? 0.5f : -0.5f;  // many ties
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return std::fabs(values[a]) > std::fabs(values[b]); });
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, count / 3, count / 2, count}) {
      if (k > count) continue;
      std::vector<std::uint32_t> expected(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
      std::sort(expected.begin(), expected.end());
      CHECK(models::largest(values, static_cast<std::int64_t>(k)) == expected);
    }
  }
}

TEST_CASE("top-k leaves the published relative errors on a Gaussian, and keeps at least its share", "[compression]") {
  const std::vector<float> values = gaussian(1 << 20, 1);
  const struct {
    const char* keys;
    double keep, error;
  } cases[] = {{"keep: 0.1 %", 0.001, 0.987}, {"keep: 1 %", 0.01, 0.916}, {"keep: 10 %", 0.1, 0.560}};
  for (const auto& one : cases) {
    const double error = relative_error(values, through(*made("top_k", one.keys), values));
    CHECK(error == Approx(one.error).margin(0.002));
    CHECK(error <= 1.0 - one.keep);
  }
}

TEST_CASE("positions are sent as numbers or as a bitmap, whichever is smaller", "[compression]") {
  // n = 1000: a bitmap has 125 bytes, as 31.25 numbers.
  CHECK(models::position_bytes(1000, 31) == 124);
  CHECK(models::position_bytes(1000, 32) == 125);
  for (const std::int64_t count : {0, 1, 31, 32, 500, 1000}) {
    const std::vector<std::uint32_t> positions = models::drawn(1000, count, dither(0));
    REQUIRE(positions.size() == static_cast<std::size_t>(count));
    CHECK(std::is_sorted(positions.begin(), positions.end()));
    CHECK(std::adjacent_find(positions.begin(), positions.end()) == positions.end());
    std::vector<std::byte> bytes(models::position_bytes(1000, count));
    models::write_positions(positions, 1000, bytes);
    CHECK(models::read_positions(bytes, 1000, count) == positions);
  }
}

TEST_CASE("random-k draws every element equally often, and n/k makes it unbiased", "[compression]") {
  const std::vector<float> values(100, 1.0f);
  std::vector<int> seen(values.size());
  constexpr std::uint32_t draws = 2000;
  const auto plain = made("random_k", "keep: 10 %"), rescaled = made("random_k", "keep: 10 %, rescale: true");
  double sum = 0.0;
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    const std::vector<float> got = through(*plain, values, draw);
    for (std::size_t k = 0; k < got.size(); ++k) seen[k] += got[k] != 0.0f ? 1 : 0;
    for (const float value : through(*rescaled, values, draw)) sum += static_cast<double>(value);
  }
  CHECK(sum == Approx(100.0 * draws).epsilon(1e-5));
  for (const int count : seen) CHECK(std::fabs(count - 200.0) < 5.0 * std::sqrt(2000 * 0.1 * 0.9));
  CHECK(plain->wire_size(100)->value == 4 * 10 + 8);
  CHECK(made("random_k", "keep: 10 %, shared_seed: false")->wire_size(100)->value == 4 * 10 + 13);
}

TEST_CASE("random-k with a shared seed can be added without decoding", "[compression]") {
  const auto compressor = made("random_k", "keep: 20 %");
  REQUIRE(compressor->traits().summable == models::Summable::yes);
  const std::vector<float> a = gaussian(50, 1), b = gaussian(50, 2);
  std::vector<float> both(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) both[k] = a[k] + b[k];
  const std::vector<float> da = through(*compressor, a), db = through(*compressor, b), sum = through(*compressor, both);
  for (std::size_t k = 0; k < a.size(); ++k) CHECK(sum[k] == da[k] + db[k]);
}

TEST_CASE("a threshold sends what reaches it, and its bytes follow the data", "[compression]") {
  const auto compressor = made("threshold", "at_least: 1.5");
  const std::vector<float> values = gaussian(1000, 4);
  const std::vector<float> got = through(*compressor, values);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    CHECK(got[k] == (std::fabs(values[k]) >= 1.5f ? values[k] : 0.0f));
    kept += got[k] != 0.0f ? 1 : 0;
  }
  CHECK(compressor->encode(values, dither(0)).bytes.size() == 4 + 4 * kept + std::min<std::size_t>(4 * kept, 125));
}

TEST_CASE("a sparse code may code its values too", "[compression]") {
  const auto compressor = made("top_k", "keep: 10 %, values: {name: qsgd, levels: 7}");
  const std::vector<float> values = gaussian(1000, 6), got = through(*compressor, values);
  CHECK(compressor->wire_size(1000)->value == 4 + 100 * 4 / 8 + 125);
  std::size_t kept = 0;
  for (const float value : got) kept += value != 0.0f ? 1 : 0;
  CHECK(kept <= 100);
  CHECK(relative_error(values, got) < 1.0);
  CHECK_THROWS_WITH(made("top_k", "values: top_k"), Catch::Contains("top_k"));
}
