#include "models/compression/compressor.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "models/base/block_sum.hpp"
#include "models/kernel/signs.hpp"
#include "tests/support/documents.hpp"
#include "tests/support/every_target.hpp"

namespace {

std::vector<float> gaussian(std::size_t count, std::uint32_t owner = 0) {
  std::vector<float> values(count);
  models::Stream(11, models::Purpose::problem, owner, 0).fill_normal(values);
  return values;
}

// |v - decode(encode(v))|^2 / |v|^2.
double relative_error(const models::Compressor& compressor, const std::vector<float>& values, std::uint32_t draw = 0) {
  std::vector<float> decoded(values.size());
  compressor.decode(compressor.encode(values, models::Stream(1, models::Purpose::dither, 0, draw)), decoded);
  double error = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k)
    error += std::pow(static_cast<double>(values[k]) - static_cast<double>(decoded[k]), 2);
  return error / models::sum_of_squares(values);
}

}  // namespace

TEST_CASE("every compressor's wire size is the size of its code", "[compression]") {
  for (const auto& row : models::compressors().rows()) {
    const auto compressor = support::read_row(models::compressors(), row.name, "")();
    for (const std::size_t count : {0UL, 1UL, 7UL, 8UL, 9UL, 1000003UL}) {
      INFO(row.name << ", " << count << " elements");
      const models::Encoded code =
          compressor->encode(gaussian(count), models::Stream(1, models::Purpose::dither, 0, 0));
      CHECK(code.elements == static_cast<std::int64_t>(count));
      const auto size = compressor->wire_size(static_cast<std::int64_t>(count));
      if (size) CHECK(size->value == static_cast<double>(code.bytes.size()));
      CHECK(size.has_value() != (row.name == "threshold"));  // its size depends on the data
    }
  }
}

TEST_CASE("every compressor contracts a Gaussian vector or is unbiased on it", "[compression]") {
  const std::vector<float> values = gaussian(4096);
  for (const auto& row : models::compressors().rows()) {
    INFO(row.name);
    const auto compressor = support::read_row(models::compressors(), row.name, "")();
    if (compressor->traits().bias == models::Bias::biased) {
      CHECK(relative_error(*compressor, values) < 1.0);
      continue;
    }
    std::vector<double> mean(values.size());
    std::vector<float> decoded(values.size());
    constexpr std::uint32_t draws = 64;
    for (std::uint32_t draw = 0; draw < draws; ++draw) {
      compressor->decode(compressor->encode(values, models::Stream(1, models::Purpose::dither, 0, draw)), decoded);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += static_cast<double>(decoded[k]) / draws;
    }
    double bias = 0.0;
    for (std::size_t k = 0; k < mean.size(); ++k) bias += std::pow(mean[k] - static_cast<double>(values[k]), 2);
    // The mean of m unbiased draws is off by variance / m on average; twice that is allowed.
    CHECK(bias / models::sum_of_squares(values) <= 2.0 * relative_error(*compressor, values) / draws + 1e-12);
  }
}

TEST_CASE("every compressor gives the same code and the same values on every target", "[compression]") {
  const std::vector<float> values = gaussian(1003, 5);
  for (const auto& row : models::compressors().rows()) {
    const auto compressor = support::read_row(models::compressors(), row.name, "")();
    std::vector<std::vector<std::byte>> codes;
    std::vector<std::vector<float>> decoded;
    support::on_every_target([&](const char*) {
      const models::Encoded code = compressor->encode(values, models::Stream(1, models::Purpose::dither, 2, 3));
      codes.push_back(code.bytes);
      compressor->decode(code, decoded.emplace_back(values.size()));
    });
    INFO(row.name);
    for (std::size_t i = 1; i < codes.size(); ++i) {
      CHECK(codes[i] == codes[0]);
      CHECK(decoded[i] == decoded[0]);
    }
  }
}

TEST_CASE("every compressor keeps a vector of zeros and one of equal values finite", "[compression]") {
  for (const auto& row : models::compressors().rows())
    for (const float value : {0.0f, -2.5f}) {
      const auto compressor = support::read_row(models::compressors(), row.name, "")();
      const std::vector<float> values(37, value);
      std::vector<float> decoded(values.size(), 9.0f);
      compressor->decode(compressor->encode(values, models::Stream(1, models::Purpose::dither, 0, 0)), decoded);
      INFO(row.name << " of " << value);
      for (const float got : decoded) CHECK(std::fabs(got) <= std::max(1.0f, std::fabs(value) * 6.1f));
      if (value == 0.0f && row.name != "sign")
        for (const float got : decoded) CHECK(std::fabs(got) <= 1e-6f);
    }
}

TEST_CASE("every compressor declares its keys", "[compression]") {
  for (const auto& row : models::compressors().rows()) CHECK_NOTHROW(support::described(row));
  CHECK(support::described(*models::compressors().find("one_bit")).at(0).path == "scale");
}

TEST_CASE("one bit leaves the published relative errors on a Gaussian and on a sparse vector", "[compression]") {
  const std::vector<float> values = gaussian(1 << 20);
  const auto l2 = support::read_row(models::compressors(), "one_bit", "scale: l2")(),
             l1 = support::read_row(models::compressors(), "one_bit", "scale: l1")();
  CHECK(relative_error(*l2, values) == Approx(2.0 - 2.0 * std::sqrt(2.0 / 3.14159265358979)).margin(0.002));  // 0.404
  CHECK(relative_error(*l1, values) == Approx(1.0 - 2.0 / 3.14159265358979).margin(0.002));                   // 0.363
  // 1 % of the elements Gaussian, the others zero: the l2 scale does not contract. |v|_1 / (sqrt(N) |v|_2) = 0.1 sqrt(2
  // / pi) = 0.0798.
  std::vector<float> sparse(values.size());
  for (std::size_t k = 0; k < sparse.size(); k += 100) sparse[k] = values[k];
  CHECK(relative_error(*l2, sparse) == Approx(1.840).margin(0.01));
  CHECK(relative_error(*l1, sparse) == Approx(0.994).margin(0.002));
}

TEST_CASE("one bit keeps the norm with the l2 scale, and takes zero as positive", "[compression]") {
  const std::vector<float> values = gaussian(1003);
  const auto compressor = support::read_row(models::compressors(), "one_bit", "scale: l2")();
  std::vector<float> decoded(values.size());
  compressor->decode(compressor->encode(values, models::Stream(1, models::Purpose::dither, 0, 0)), decoded);
  CHECK(models::sum_of_squares(decoded) == Approx(models::sum_of_squares(values)).epsilon(1e-6));
  const std::vector<float> zeros{0.0f, -0.0f, -1.0f};
  std::vector<std::byte> bits(1);
  models::pack_signs(zeros, bits);
  CHECK(bits[0] == std::byte{3});
}

TEST_CASE("sign kernels give the same bits on every target and agree with a plain loop", "[compression]") {
  for (const std::size_t count : {0UL, 1UL, 15UL, 16UL, 17UL, 1003UL}) {
    const std::vector<float> values = gaussian(count, 1);
    std::vector<float> residual(count), unpacked(count), added = gaussian(count, 2);
    const float scale = 0.7f;
    for (std::size_t k = 0; k < count; ++k) {
      unpacked[k] = values[k] >= 0.0f ? scale : -scale;
      residual[k] = values[k] - unpacked[k];
      added[k] += unpacked[k];
    }
    support::on_every_target([&](const char* target) {
      INFO(target << ", " << count);
      std::vector<std::byte> bits((count + 7) / 8), again(bits.size());
      std::vector<float> kept = values, got(count), sum = gaussian(count, 2);
      models::pack_signs(values, bits);
      models::pack_signs_keep_residual(kept, scale, again);
      models::unpack_signs(bits, scale, got);
      models::add_signs(bits, scale, sum);
      CHECK(bits == again);
      CHECK(kept == residual);
      CHECK(got == unpacked);
      CHECK(sum == added);
    });
  }
}

TEST_CASE("block sums give the same bits on every target and agree with a plain sum", "[compression]") {
  const std::vector<float> x = gaussian(10007, 3), y = gaussian(10007, 4);
  std::vector<float> weight(x.size());
  double plain = 0.0, squares = 0.0, magnitudes = 0.0, products = 0.0, distance = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double a = static_cast<double>(x[k]), b = static_cast<double>(y[k]);
    weight[k] = static_cast<float>(k % 7);
    plain += a;
    squares += a * a;
    magnitudes += std::fabs(a);
    products += a * b;
    distance += static_cast<double>(weight[k]) * (a - b) * (a - b);
  }
  std::vector<std::vector<double>> all;
  support::on_every_target([&](const char*) {
    all.push_back({models::sum(x), models::sum_of_squares(x), models::sum_of_magnitudes(x), models::inner_product(x, y),
                   models::weighted_square_distance(x, y, weight)});
  });
  for (const auto& sums : all) CHECK(sums == all[0]);
  CHECK(all[0][0] == Approx(plain).epsilon(1e-10));
  CHECK(all[0][1] == Approx(squares).epsilon(1e-12));
  CHECK(all[0][2] == Approx(magnitudes).epsilon(1e-12));
  CHECK(all[0][3] == Approx(products).epsilon(1e-10));
  CHECK(all[0][4] == Approx(distance).epsilon(1e-12));
}
