#include <catch2/catch.hpp>

#include "models/architecture/kernels.hpp"
#include "models/device/cost_model.hpp"

using namespace models;

namespace {

// 10 multiprocessors, every tile at full rate, nothing lost.
Device ideal() {
  Device device;
  device.memory_bandwidth = 1000_GBps;
  for (FlopsPerSecond& peak : device.peak) peak = 100_TFLOPS;
  device.efficiency.multiprocessors = 10;
  device.efficiency.wave = 0.0;
  return device;
}

}  // namespace

TEST_CASE("a memory-bound kernel takes bytes over the share of the bandwidth, and its launch, each time it runs",
          "[device]") {
  Device device = ideal();
  device.efficiency.elementwise = 0.5;
  device.launch = 5_us;
  Kernel kernel = elementwise("pass", 1_GB, Precision::fp16);
  CHECK(roofline(kernel, device).value == Approx(2e-3 + 5e-6));
  kernel.repeats = 3.0;
  CHECK(roofline(kernel, device).value == Approx(3 * (2e-3 + 5e-6)));
  kernel.kind = KernelKind::codec;
  CHECK(roofline(kernel, device).value == Approx(3 * (1e-3 + 5e-6)));
}

TEST_CASE("a large GEMM that fills its tiles runs at the peak", "[device]") {
  const Kernel kernel = gemm("gemm", 2560, 2560, 4096, Precision::fp16);  // 10 x 20 tiles: 20 waves
  CHECK(roofline(kernel, ideal()).value == Approx((kernel.flops / 100_TFLOPS).value).epsilon(1e-12));
}

TEST_CASE("a product smaller than a wave pays the whole wave, unless its inner loop can be split", "[device]") {
  Device device = ideal();
  device.efficiency.fill = 1e9;  // splitting gains nothing
  for (double& share : device.efficiency.tile) share = 1e-9;
  device.efficiency.tile[3] = 1.0;  // only 64 x 64
  const auto seconds = [&](std::int64_t m) { return roofline(gemm("gemm", m, 64, 64, Precision::fp16), device).value; };
  CHECK(seconds(64) == Approx(seconds(640)));
  CHECK(seconds(1280) == Approx(2 * seconds(640)));
}

TEST_CASE("tensor cores slow down on dimensions that are no multiple of 16 bytes", "[device]") {
  Device device = ideal();
  device.efficiency.unaligned = 0.25;
  const auto seconds = [&](std::int64_t n, Precision precision) {
    return roofline(gemm("gemm", 4096, n, 4096, precision), device).value;
  };
  CHECK(seconds(50257, Precision::fp16) > 3.9 * seconds(50304, Precision::fp16));
  CHECK(seconds(50257, Precision::fp32) <= seconds(50304, Precision::fp32));
}

TEST_CASE("time never falls when a product grows", "[device]") {
  Device device = ideal();
  device.efficiency.fill = 200.0;
  device.efficiency.wave = 1.0;
  double before = 0.0;
  for (const std::int64_t m : {8, 64, 128, 1024, 4096, 8192}) {
    const double now = roofline(gemm("gemm", m, 1024, 1024, Precision::fp16), device).value;
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("every cost model takes a positive, finite time for every kind of kernel", "[device]") {
  for (const Row<CostModel>& row : cost_models().rows()) {
    CHECK(!row.help.empty());
    CHECK(cost_models().find(row.name) == &row);
  }
  Device device = ideal();
  device.launch = 1_us;
  for (const KernelKind kind : {KernelKind::gemm, KernelKind::attention, KernelKind::convolution,
                                KernelKind::elementwise, KernelKind::optimizer, KernelKind::codec}) {
    Kernel kernel = gemm("kernel", 7, 11, 13, Precision::fp32);
    kernel.kind = kind;
    const double seconds = roofline(kernel, device).value;
    CHECK(seconds > 0.0);
    CHECK(seconds < 1.0);
  }
}
