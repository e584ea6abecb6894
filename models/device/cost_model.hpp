#pragma once
// Kernel: one piece of device work. Device: what a data file says of one accelerator. CostModel: how long the kernel takes there.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/base/table.hpp"
#include "models/base/units.hpp"

namespace models {

class Params;

enum class Precision { fp32, tf32, fp16, bf16 };
inline constexpr std::string_view precision_names[] = {"fp32", "tf32", "fp16", "bf16"};
Bytes element_size(Precision precision);  // of a stored element

// What limits a kernel, and so which efficiency applies.
enum class KernelKind { gemm, attention, convolution, elementwise, optimizer, codec };

// Numbers and an interned name only: kernels stand in awaited expressions (GCC 12 destroys temporaries there twice).
struct Kernel {
  const char* name = "";  // static storage
  KernelKind kind = KernelKind::elementwise;
  Precision precision = Precision::fp32;
  Flops flops{};
  Bytes bytes{};                          // read and written
  std::int64_t m = 0, n = 0, k = 0, batch = 1;  // GEMM-like kernels: batch x (m x k) (k x n); convolutions as implicit GEMM
  double repeats = 1.0;                   // the kernel runs this many times in a row, each with its launch
};
static_assert(std::is_trivially_destructible_v<Kernel>);

// Datasheet values, efficiency parameters and overheads of one accelerator; each number's source stands in its data file.
struct Device {
  std::string name;
  Bytes memory{};
  BytesPerSecond memory_bandwidth{};
  FlopsPerSecond peak[4]{};         // dense, by Precision
  Seconds launch{};                 // per kernel on the device
  Seconds layer_overhead{};         // host and framework, per layer and pass
  Seconds step_overhead{};          // host and framework, per step
  // Efficiency parameters follow here (owned by the roofline and its fit; see roofline.cpp).
  std::vector<double> efficiency;
  double overlap_slowdown = 1.0;    // factor on compute while communication runs
  struct Constant { std::string name; double value; std::string unit, source, fitted_on; };
  std::vector<Constant> constants;  // what the result lists as constants used
};
Device read_device(Params& params);

using CostModel = std::function<Seconds(const Kernel&, const Device&)>;  // pure
const Table<CostModel>& cost_models();

}  // namespace models
