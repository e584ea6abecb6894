#include "models/base/random.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "models/base/elementary.hpp"
#include "tests/support/every_target.hpp"

using models::Purpose;
using models::Stream;

TEST_CASE("a stream draws the published words of Philox4x32-10", "[random]") {
  // kat_vectors of Random123 1.14: counter, key -> output.
  Stream zeros(0, static_cast<Purpose>(0), 0, 0, 0);
  CHECK(zeros.word() == 0x6627e8d5u);
  CHECK(zeros.word() == 0xe169c58du);
  CHECK(zeros.word() == 0xbc57ac4cu);
  CHECK(zeros.word() == 0x9b00dbd8u);
}

TEST_CASE("filled elements take the top 24 bits of the published words of Philox4x32-10", "[random]") {
  support::on_every_target([](const char* target) {
    INFO(target);
    std::vector<float> out(4);
    Stream(0xffffffffffffu, static_cast<Purpose>(0xffff), 0xffffffffu, 0xffffffffu, 0xffffffffu)
        .fill_uniform(out, 4 * 0xffffffffULL);
    CHECK(out[0] == static_cast<float>(0x408f27) * 0x1p-24f);
    CHECK(out[1] == static_cast<float>(0x41c83b) * 0x1p-24f);
    CHECK(out[2] == static_cast<float>(0xa20bc7) * 0x1p-24f);
    CHECK(out[3] == static_cast<float>(0x6d5451) * 0x1p-24f);
    // Counter {243f6a88 85a308d3 13198a2e 03707344}, key {a4093822 299f31d0}.
    Stream(0x299fa4093822u, static_cast<Purpose>(0x31d0), 0x03707344u, 0x13198a2eu, 0x85a308d3u)
        .fill_uniform(out, 4 * 0x243f6a88ULL);
    CHECK(out[0] == static_cast<float>(0xd16cfe) * 0x1p-24f);
    CHECK(out[1] == static_cast<float>(0x94fdcc) * 0x1p-24f);
    CHECK(out[2] == static_cast<float>(0x5001e4) * 0x1p-24f);
    CHECK(out[3] == static_cast<float>(0x24126e) * 0x1p-24f);
  });
}

TEST_CASE("filled elements depend on their index only, on every vector width", "[random]") {
  const Stream stream(7, Purpose::data_noise, 3, 40, 1);
  std::vector<float> whole(1003);
  stream.fill_normal(whole);
  CHECK(whole[17] != whole[18]);
  support::on_every_target([&](const char* target) {
    INFO(target);
    std::vector<float> again(whole.size());
    stream.fill_normal(again);
    CHECK(std::memcmp(whole.data(), again.data(), whole.size() * sizeof(float)) == 0);
    for (const std::size_t first : {1UL, 2UL, 63UL, 64UL, 129UL, 1002UL}) {
      std::vector<float> part(whole.size() - first);
      stream.fill_normal(part, first);
      CHECK(std::memcmp(whole.data() + first, part.data(), part.size() * sizeof(float)) == 0);
    }
  });
}

TEST_CASE("normal elements are standard normal", "[random]") {
  std::vector<float> z(1 << 20);
  Stream(1, Purpose::data_noise, 0, 0).fill_normal(z);
  double sum = 0, square = 0, fourth = 0, product = 0;
  std::size_t beyond_2 = 0, beyond_4 = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double x = static_cast<double>(z[i]);
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
    product += x * static_cast<double>(z[i ^ 1]);
    beyond_2 += std::fabs(x) > 2.0 ? 1 : 0;
    beyond_4 += std::fabs(x) > 4.0 ? 1 : 0;
  }
  const double n = static_cast<double>(z.size());
  // Five standard errors each: 1, sqrt(2), sqrt(96), 1 over sqrt(n).
  CHECK(std::fabs(sum / n) < 5.0 / 1024);
  CHECK(std::fabs(square / n - 1.0) < 5 * 1.4142 / 1024);
  CHECK(std::fabs(fourth / n - 3.0) < 5 * 9.798 / 1024);
  CHECK(std::fabs(product / n) < 5.0 * 1.4142 / 1024);
  CHECK(static_cast<double>(beyond_2) == Approx(0.0455003 * n).epsilon(0.03));
  CHECK(static_cast<double>(beyond_4) == Approx(6.3342e-5 * n).margin(5 * 8.15));
}

TEST_CASE("sequential draws have their distributions' moments", "[random]") {
  Stream stream(5, Purpose::arrivals, 0, 0);
  double uniform = 0, normal = 0, normal_square = 0, exponential = 0, index = 0;
  const int draws = 200000;
  for (int i = 0; i < draws; ++i) {
    uniform += stream.uniform();
    const double z = stream.normal();
    normal += z;
    normal_square += z * z;
    exponential += stream.exponential();
    index += static_cast<double>(stream.index(10));
  }
  CHECK(uniform / draws == Approx(0.5).margin(0.0033));
  CHECK(normal / draws == Approx(0.0).margin(0.0112));
  CHECK(normal_square / draws == Approx(1.0).margin(0.0159));
  CHECK(exponential / draws == Approx(1.0).margin(0.0112));
  CHECK(index / draws == Approx(4.5).margin(0.0322));
}

TEST_CASE("streams of different owners, steps, items, purposes and seeds differ", "[random]") {
  const auto first = [](Stream stream) { return stream.word(); };
  const std::uint32_t base = first(Stream(1, Purpose::data_noise, 0, 0, 0));
  CHECK(base == first(Stream(1, Purpose::data_noise, 0, 0, 0)));
  CHECK(base != first(Stream(2, Purpose::data_noise, 0, 0, 0)));
  CHECK(base != first(Stream(1, Purpose::problem, 0, 0, 0)));
  CHECK(base != first(Stream(1, Purpose::data_noise, 1, 0, 0)));
  CHECK(base != first(Stream(1, Purpose::data_noise, 0, 1, 0)));
  CHECK(base != first(Stream(1, Purpose::data_noise, 0, 0, 1)));
  CHECK(base != first(Stream((1ULL << 40) + 1, Purpose::data_noise, 0, 0, 0)));
}

TEST_CASE("elementary functions agree with the C library", "[random]") {
  for (double x = 1e-6; x < 1e6; x *= 1.37) {
    CHECK(models::natural_log(x) == Approx(std::log(x)).epsilon(1e-14).margin(1e-16));
    CHECK(models::power(x, 0.3) == Approx(std::pow(x, 0.3)).epsilon(1e-14));
  }
  for (double x = -700; x < 700; x += 7.3) CHECK(models::exponential_of(x) == Approx(std::exp(x)).epsilon(1e-14));
  for (double t = -2; t < 2; t += 0.01) {
    CHECK(models::cosine_of_turns(t) == Approx(std::cos(t * 6.283185307179586)).margin(3e-15));
    CHECK(models::sine_of_turns(t) == Approx(std::sin(t * 6.283185307179586)).margin(3e-15));
  }
  CHECK(models::whole_power(0.999, 1200) == Approx(std::pow(0.999, 1200)).epsilon(1e-13));
  CHECK(models::cosine_of_turns(0.25) == 0.0);
}
