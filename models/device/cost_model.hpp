#pragma once
// Kernel: one piece of device work. Device: what a data file says of one accelerator. CostModel: how long the kernel
// takes there.

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
  Bytes bytes{};  // read and written
  std::int64_t m = 0, n = 0, k = 0,
               batch = 1;  // GEMM-like kernels: batch x (m x k) (k x n); convolutions as implicit GEMM
  double repeats = 1.0;    // the kernel runs this many times in a row, each with its launch
  Seconds fixed{};         // added as it is: measured software overhead
};
static_assert(std::is_trivially_destructible_v<Kernel>);

// Shares of the datasheet rates that kernels reach; fitted by analysis/calibration, used by the roofline.
struct Efficiency {
  double multiprocessors = 1.0;  // GEMM tiles run in waves of this many
  // Share of the peak of a full wave on tensor cores, by tile: 256 x 128, 128 x 128, 128 x 64, 64 x 64, 64 x 16.
  double tile[5] = {1.0, 1.0, 1.0, 1.0, 1.0};
  double fill = 0.0;            // elements of the k loop lost to start and end of a tile
  double wave = 1.0;            // share of a part-filled wave's idle time that is paid: 1 is full quantisation
  double unaligned = 1.0;       // factor when a dimension is no multiple of 16 bytes (tensor cores only)
  double plain = 1.0;           // share of peak of fp32 kernels, which do not use tensor cores, whatever their tile
  double plain_fill = 0.0;      // their fill: as long in time, so fewer elements
  double convolution = 1.0;     // factor on convolutions, against the GEMM of equal shape
  double attention = 1.0;       // fused attention, share of peak for long sequences
  double attention_fill = 0.0;  // sequence length at which fused attention reaches half of that
  double gemm_memory = 1.0, elementwise = 1.0, optimizer = 1.0, codec = 1.0;  // shares of the memory bandwidth
};

// Datasheet values, efficiency parameters and overheads of one accelerator; each number's source stands in its data
// file.
struct Device {
  std::string name;
  Bytes memory{};
  BytesPerSecond memory_bandwidth{};
  FlopsPerSecond peak[4]{};  // dense, by Precision
  Seconds launch{};          // per kernel on the device
  Seconds dispatch{};  // host and framework, per operation of a pass; hidden while the device is busier (forward_time,
                       // backward_time)
  Seconds
      layer_overhead{};  // neither hidden nor per operation: per layer and pass; inside forward_time and backward_time
  Seconds step_overhead{};  // host and framework, per step
  Efficiency efficiency;
  double overlap_slowdown = 1.0;  // factor on compute while communication runs
  struct Constant {
    std::string name;
    double value;
    std::string unit, source, fitted_on;
  };
  std::vector<Constant> constants;  // what the result lists as constants used
};
Device read_device(Params& params);

using CostModel = std::function<Seconds(const Kernel&, const Device&)>;  // pure
const Table<CostModel>& cost_models();
Seconds roofline(const Kernel& kernel,
                 const Device& device);  // the row `roofline`, for those who have no scenario to read

}  // namespace models
