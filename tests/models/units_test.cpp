#include "models/base/units.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "models/base/random.hpp"

using namespace models::literals;

TEST_CASE("amounts are read with their unit", "[base]") {
  CHECK(models::read_bytes("25 MB") == 25_MB);
  CHECK(models::read_bytes("25MiB") == 25_MiB);
  CHECK(models::read_bytes("8 b") == 1_B);
  CHECK(models::read_bytes("1.5 KiB") == 1536_B);
  CHECK(models::read_bytes_per_second("10 Gb/s") == 10_Gbps);
  CHECK(models::read_bytes_per_second("450 GB/s") == 450_GBps);
  CHECK(models::read_bytes_per_second("1_000 Mb/s") == 1_Gbps);
  CHECK(models::read_seconds("2 s") == 2_s);
  CHECK(models::read_seconds("25 us")->value == 25e-6);
  CHECK(models::read_seconds("25 \xC2\xB5s")->value == 25e-6);
  CHECK(models::read_seconds("10 min") == 600_s);
  CHECK(models::read_flops_per_second("125 TFLOP/s") == 125_TFLOPS);
  CHECK(models::read_per_second("20 /s")->value == 20.0);
  CHECK(models::read_per_second("60/min")->value == 1.0);
}

TEST_CASE("only zero needs no unit", "[base]") {
  CHECK(models::read_bytes("0") == 0_B);
  CHECK(models::read_seconds("0") == 0_s);
  CHECK_FALSE(models::read_bytes("25"));
  CHECK_FALSE(models::read_seconds("1e-3"));
}

TEST_CASE("amounts of another kind, or of none, are refused", "[base]") {
  for (const char* text : {"", " ", "MB", "25 s", "25 MX", "1e999 B", "nan B", "inf B", "0x10 B", "1 2 B", "--1 B",
                           "1__0 B", "_1 B", "1e B", "."})
    CHECK_FALSE(models::read_bytes(text));
  CHECK_FALSE(models::read_seconds("25 MB"));
  CHECK_FALSE(models::read_bytes_per_second("10 GB"));
  CHECK_FALSE(models::read_seconds("25 Ms"));
}

TEST_CASE("fractions may be in per cent, numbers are bare", "[base]") {
  CHECK(models::read_fraction("2 %") == 0.02);
  CHECK(models::read_fraction("2%") == 0.02);
  CHECK(models::read_fraction("0.02") == 0.02);
  CHECK_FALSE(models::read_fraction("2 s"));
  CHECK(models::read_number("1e3") == 1000.0);
  CHECK(models::read_number("1_000") == 1000.0);
  CHECK(models::read_number("-.5") == -0.5);
  CHECK(models::read_number("+2") == 2.0);
  CHECK_FALSE(models::read_number("1 %"));
  CHECK_FALSE(models::read_number("infinity"));
}

TEST_CASE("the shortest text reads back to the same bits", "[base]") {
  models::Stream stream(1, models::Purpose::problem, 0, 0);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = (std::uint64_t{stream.word()} << 32) | stream.word();
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const auto back = models::read_number(models::shortest(value));
    REQUIRE(back);
    REQUIRE(std::memcmp(&*back, &value, sizeof value) == 0);
  }
  CHECK(models::shortest(0.1) == "0.1");
  CHECK(models::shortest(1200.0) == "1200");
}

TEST_CASE("people read three significant digits and a fitting prefix", "[base]") {
  CHECK(models::text(672_MB) == "672 MB");
  CHECK(models::text(models::Bytes{671.9e6}) == "672 MB");
  CHECK(models::text(models::Bytes{999.96e6}) == "1 GB");
  CHECK(models::text(0_B) == "0 B");
  CHECK(models::text(models::Seconds{2.27543}) == "2.28 s");
  CHECK(models::text(models::Seconds{25e-6}) == "25 us");
  CHECK(models::text(models::Seconds{0.99999}) == "1 s");
  CHECK(models::text(models::Seconds{5400.0}) == "90 min");
  CHECK(models::text(models::Seconds{1e5}) == "27.8 h");
  CHECK(models::text(10_Gbps) == "10 Gb/s");
  CHECK(models::text(900_GBps) == "900 GB/s");
  CHECK(models::text(125_TFLOPS) == "125 TFLOP/s");
}

TEST_CASE("units follow from arithmetic", "[base]") {
  const models::Seconds time = 100_MB / 10_GBps;
  CHECK(time.value == Approx(0.01));
  CHECK(100_MB / 50_MB == 2.0);
}
