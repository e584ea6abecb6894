// Compressors that code every element with few bits.

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "models/base/block_sum.hpp"
#include "models/compression/compressor.hpp"
#include "models/compression/elias.hpp"
#include "models/kernel/codes.hpp"
#include "models/kernel/half.hpp"
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

double square_error(const std::vector<float>& a, const std::vector<float>& b) {
  double error = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = static_cast<double>(a[k]) - static_cast<double>(b[k]);
    error += difference * difference;
  }
  return error;
}

double mean_relative_error(const models::Compressor& compressor, const std::vector<float>& values,
                           std::uint32_t draws) {
  double error = 0.0;
  for (std::uint32_t draw = 0; draw < draws; ++draw) error += square_error(values, through(compressor, values, draw));
  return error / draws / models::sum_of_squares(values);
}

std::string bits_of(std::uint64_t number) {
  models::BitWriter writer;
  writer.omega(number);
  writer.bit(true);  // marks the end
  const std::vector<std::byte> bytes = writer.take();
  std::string text;
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i)
    text += ((std::to_integer<unsigned>(bytes[i / 8]) >> (i % 8)) & 1u) != 0 ? '1' : '0';
  return text.substr(0, text.rfind('1'));
}

}  // namespace

TEST_CASE("all binary16 numbers survive the way through floats", "[compression]") {
  std::vector<std::uint16_t> all(65536), back(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint16_t>(k);
  std::vector<float> values(all.size());
  models::from_fp16(all, values);
  models::to_fp16(values, back);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (!std::isnan(values[k])) CHECK(back[k] == all[k]);
  CHECK(values[0x3C00] == 1.0f);
  CHECK(values[0x7BFF] == 65504.0f);
  CHECK(values[0x0001] == 0x1p-24f);
  CHECK(std::isinf(values[0x7C00]));
  CHECK(std::isnan(values[0x7E00]));
}

TEST_CASE("binary16 and bfloat16 round to nearest, ties to even", "[compression]") {
  // Between neighbours of one sign: the middle goes to the even one, just beside it to the nearer.
  for (std::uint32_t half = 0; half < 0x7BFF; ++half) {
    const std::vector<std::uint16_t> pair{static_cast<std::uint16_t>(half), static_cast<std::uint16_t>(half + 1)};
    std::vector<float> ends(2);
    models::from_fp16(pair, ends);
    const float middle = 0.5f * (ends[0] + ends[1]);
    const std::vector<float> values{std::nextafter(middle, 0.0f), middle, std::nextafter(middle, 1e9f)};
    std::vector<std::uint16_t> got(3);
    models::to_fp16(values, got);
    if (got != std::vector<std::uint16_t>{pair[0], pair[half % 2], pair[1]}) FAIL("near binary16 " << half);
  }
  const std::vector<float> large{65519.0f, 65520.0f, -1e10f};
  std::vector<std::uint16_t> halves(3);
  models::to_fp16(large, halves);
  CHECK(halves == std::vector<std::uint16_t>{0x7BFF, 0x7C00, 0xFC00});
  const std::vector<float> brains{1.0f, 1.00390625f, 1.01171875f, 3.4028235e38f, std::nanf("")};
  std::vector<std::uint16_t> brain(5);
  models::to_bf16(brains, brain);
  CHECK(brain[0] == 0x3F80);
  CHECK(brain[1] == 0x3F80);  // a tie: to even
  CHECK(brain[2] == 0x3F82);  // a tie: to even
  CHECK(brain[3] == 0x7F80);
  CHECK((brain[4] & 0x7FFF) > 0x7F80);
}

TEST_CASE("packing keeps codes of every width", "[compression]") {
  for (int width = 1; width <= 16; ++width)
    for (const std::size_t count : {0UL, 1UL, 7UL, 8UL, 9UL, 1001UL}) {
      std::vector<std::uint16_t> codes(count), back(count);
      for (std::size_t k = 0; k < count; ++k)
        codes[k] = static_cast<std::uint16_t>((k * 40503u) & ((1u << width) - 1u));
      std::vector<std::byte> packed(models::packed_size(count, width));
      models::pack_codes(codes, width, packed);
      models::unpack_codes(packed, width, back);
      CHECK(back == codes);
    }
}

TEST_CASE("Elias' code is the published one", "[compression]") {
  CHECK(bits_of(1) == "0");
  CHECK(bits_of(2) == "100");
  CHECK(bits_of(4) == "101000");
  CHECK(bits_of(17) == "10100100010");
  models::BitWriter writer;
  for (std::uint64_t number = 1; number < 2000; ++number) writer.omega(number * number);
  const std::vector<std::byte> bytes = writer.take();
  models::BitReader reader(bytes);
  for (std::uint64_t number = 1; number < 2000; ++number) CHECK(reader.omega() == number * number);
}

TEST_CASE("QSGD's variance stays within its bound and has the measured size", "[compression]") {
  // On Laplace vectors of 256: 10.25, 1.81, 0.17 against the bounds 16, 4, 1. For s = 1 it is |v|_1 / |v|_2 - 1
  // exactly.
  std::vector<float> values(256);
  double error_of_one = 0.0;
  constexpr std::uint32_t vectors = 40;
  const struct {
    const char* keys;
    double bound, measured;
  } cases[] = {
      {"levels: 1, bucket: 0", 16.0, 10.25}, {"levels: 4, bucket: 0", 4.0, 1.81}, {"levels: 16, bucket: 0", 1.0, 0.17}};
  for (const auto& one : cases) {
    double error = 0.0, closed = 0.0;
    for (std::uint32_t owner = 0; owner < vectors; ++owner) {
      models::Stream stream(3, models::Purpose::problem, owner, 0);
      for (float& value : values)
        value = static_cast<float>((stream.uniform() < 0.5 ? -1.0 : 1.0) * stream.exponential());
      error += mean_relative_error(*made("qsgd", one.keys), values, 50) / vectors;
      closed += (models::sum_of_magnitudes(values) / std::sqrt(models::sum_of_squares(values)) - 1.0) / vectors;
    }
    INFO(one.keys << ": " << error);
    CHECK(error <= one.bound);
    CHECK(error == Approx(one.measured).epsilon(0.05));
    if (&one == cases) error_of_one = error / closed;
  }
  CHECK(error_of_one == Approx(1.0).epsilon(0.02));
}

TEST_CASE("QSGD sends few levels, and Elias' code says the same in fewer bytes", "[compression]") {
  const std::vector<float> values = gaussian(4096, 8);
  for (const int levels : {1, 3, 7}) {
    const std::string keys = "levels: " + std::to_string(levels);
    const auto fixed = made("qsgd", keys.c_str()), elias = made("qsgd", (keys + ", coding: elias").c_str());
    const models::Encoded code = elias->encode(values, dither(0));
    std::vector<float> decoded(values.size());
    elias->decode(code, decoded);
    CHECK(decoded == through(*fixed, values));
    CHECK_FALSE(elias->wire_size(4096).has_value());
    if (levels == 1) CHECK(code.bytes.size() < fixed->encode(values, dither(0)).bytes.size());
  }
  // Expected levels that are not zero: at most s (s + sqrt(b)) in a bucket of b.
  const auto whole = made("qsgd", "levels: 1, bucket: 0");
  const std::vector<float> small = gaussian(256, 9);
  double present = 0.0;
  for (std::uint32_t draw = 0; draw < 200; ++draw)
    for (const float value : through(*whole, small, draw)) present += value != 0.0f ? 1.0 : 0.0;
  CHECK(present / 200 <= 1.0 + 16.0);
}

TEST_CASE("a wrong rounding of QSGD is seen as bias", "[compression]") {
  // Mutant: the same levels to nearest instead of at random. Most elements of a Gaussian bucket lie below half a level.
  const std::vector<float> values = gaussian(512, 10);
  const double norm = std::sqrt(models::sum_of_squares(values));
  std::vector<double> right(values.size()), wrong(values.size());
  constexpr std::uint32_t draws = 400;
  const auto qsgd = made("qsgd", "levels: 3");
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    const std::vector<float> got = through(*qsgd, values, draw);
    for (std::size_t k = 0; k < got.size(); ++k) right[k] += static_cast<double>(got[k]) / draws;
  }
  double right_bias = 0.0, wrong_bias = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double value = static_cast<double>(values[k]);
    wrong[k] = std::nearbyint(3.0 * value / norm) * norm / 3.0;
    right_bias += (right[k] - value) * (right[k] - value);
    wrong_bias += (wrong[k] - value) * (wrong[k] - value);
  }
  const double allowed = 2.0 * mean_relative_error(*qsgd, values, 40) / draws * norm * norm;
  CHECK(right_bias <= allowed);
  CHECK(wrong_bias > allowed);
}

TEST_CASE("TernGrad's variance is max |v| |v|_1 - |v|^2", "[compression]") {
  const std::vector<float> values = gaussian(1000, 12);
  const double squares = models::sum_of_squares(values);
  const double expected =
      static_cast<double>(models::largest_magnitude(values)) * models::sum_of_magnitudes(values) / squares - 1.0;
  CHECK(mean_relative_error(*made("terngrad", ""), values, 400) == Approx(expected).epsilon(0.02));
  // Clipping takes the variance down and brings bias.
  CHECK(mean_relative_error(*made("terngrad", "clip: 2.5"), values, 100) < 0.9 * expected);
  CHECK(made("terngrad", "clip: 2.5")->traits().bias == models::Bias::biased);
}

TEST_CASE("min-max keeps every element within a step, the mean within half a step", "[compression]") {
  const auto compressor = made("min_max_uint8", "");
  double worst = 0.0, beyond = 0.0, all = 0.0;
  for (std::uint32_t owner = 0; owner < 200; ++owner) {
    const std::vector<float> values = gaussian(101, owner), got = through(*compressor, values);
    const models::Extremes ends = models::extremes(values);
    const double step = (static_cast<double>(ends.high) - static_cast<double>(ends.low) + 1e-7) / 255.0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double off = std::fabs(static_cast<double>(values[k]) - static_cast<double>(got[k])) / step;
      worst = std::max(worst, off);
      beyond += off > 0.5001 ? 1.0 : 0.0;
      all += 1.0;
    }
  }
  CHECK(worst <= 1.0001);
  CHECK(beyond / all < 0.01);
}

TEST_CASE("dynamic 8 bit has small numbers with small errors", "[compression]") {
  const auto compressor = made("dynamic_8bit", "");
  for (const float magnitude : {1.0f, 0.5f, 0.1f, 0.03f, 1e-3f, 1e-5f}) {
    const std::vector<float> values{1.0f, magnitude, -magnitude};
    const std::vector<float> got = through(*compressor, values);
    CHECK(got[0] == 1.0f);
    CHECK(got[2] == -got[1]);
    // Half a part of the decade: 0.45 / 2^(6 - E) of the decade's end.
    int zeros = 0;
    double decade = 1.0;
    while (static_cast<double>(magnitude) < 0.0999 * decade) ++zeros, decade *= 0.1;
    CHECK(std::fabs(static_cast<double>(got[1] - magnitude)) <= decade * 0.451 / std::pow(2.0, 6 - zeros) + 1e-9);
  }
  const std::vector<float> values = gaussian(4096, 13);
  CHECK(square_error(values, through(*compressor, values)) / models::sum_of_squares(values) <
        3e-4);  // parts of 0.9 / 64 of 4 deviations
}

TEST_CASE("uniform rounding keeps every element within a step and is unbiased in every width", "[compression]") {
  const std::vector<float> values = gaussian(300, 14);
  for (const int bits : {1, 2, 4, 8, 12}) {
    const auto compressor = made("uniform", ("bits: " + std::to_string(bits) + ", bucket: 64").c_str());
    std::vector<double> mean(values.size());
    double largest = 0.0;
    constexpr std::uint32_t draws = 300;
    for (std::uint32_t draw = 0; draw < draws; ++draw) {
      const std::vector<float> got = through(*compressor, values, draw);
      for (std::size_t k = 0; k < got.size(); ++k) {
        mean[k] += static_cast<double>(got[k]) / draws;
        largest = std::max(largest, std::fabs(static_cast<double>(got[k]) - static_cast<double>(values[k])));
      }
    }
    const models::Extremes ends = models::extremes(values);
    const double step = (static_cast<double>(ends.high) - static_cast<double>(ends.low)) / (std::pow(2.0, bits) - 1.0);
    CHECK(largest <= step * 1.0001);
    for (std::size_t k = 0; k < mean.size(); ++k)
      CHECK(std::fabs(mean[k] - static_cast<double>(values[k])) <= 5.0 * 0.5 * step / std::sqrt(1.0 * draws) + 1e-6);
    CHECK(compressor->wire_size(300)->value == 5 * 8 + 4 * 64.0 * bits / 8 + std::ceil(44.0 * bits / 8));
  }
}
