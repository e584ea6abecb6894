// Roofline with efficiency by shape: a kernel takes what its arithmetic or its memory traffic takes, whichever is
// longer, and its launch. Williams, Waterman, Patterson, Roofline, CACM 2009. GEMM tiles and waves: NVIDIA, Matrix
// Multiplication Background User's Guide, 2023, section 4.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "models/base/params.hpp"
#include "models/device/cost_model.hpp"

namespace models {
namespace {

struct Tile {
  std::int64_t rows, columns;
};
constexpr std::array<Tile, 5> tiles{
    {{256, 128}, {128, 128}, {128, 64}, {64, 64}, {64, 16}}};  // of cuBLAS, large to small

double real(std::int64_t count) { return static_cast<double>(count); }
double parts(std::int64_t size, std::int64_t part) { return real((size + part - 1) / part); }

// 16 bytes, what tensor cores want of a row: NVIDIA, Matrix Multiplication Background User's Guide, section 3.
bool aligned(const Kernel& kernel) {
  const auto elements = static_cast<std::int64_t>(16.0 / element_size(kernel.precision).value);
  return kernel.m % elements == 0 && kernel.n % elements == 0 && kernel.k % elements == 0;
}

// Waves that are paid for `tiles_in_all`: the first one whole, the idle part of a later last one by efficiency.wave.
double paid_waves(double tiles_in_all, const Efficiency& efficiency) {
  const double waves = tiles_in_all / efficiency.multiprocessors;
  if (waves <= 1.0) return 1.0;
  const auto whole = static_cast<double>(static_cast<std::int64_t>(waves));
  return waves + efficiency.wave * ((waves > whole ? whole + 1.0 : whole) - waves);
}

// Multiply-adds of one multiprocessor that the whole product takes, if it is cut into this tile; the inner loop may be
// split, too (split-k).
double tile_work(const Kernel& kernel, const Efficiency& efficiency, std::size_t index) {
  constexpr std::array<double, 5> splits{1.0, 2.0, 4.0, 8.0, 16.0};
  const Tile tile = tiles[index];
  const double upright = parts(kernel.m, tile.rows) * parts(kernel.n, tile.columns);
  const double across = parts(kernel.n, tile.rows) * parts(kernel.m, tile.columns);
  const double tiles_in_all = real(kernel.batch) * std::min(upright, across);
  const bool plain = kernel.precision == Precision::fp32;
  const double fill = plain ? efficiency.plain_fill : efficiency.fill, share = plain ? 1.0 : efficiency.tile[index];
  double shortest = std::numeric_limits<double>::infinity();
  for (const double split : splits)
    shortest = std::min(shortest, paid_waves(tiles_in_all * split, efficiency) * (real(kernel.k) / split + fill));
  return shortest * real(tile.rows * tile.columns) / share;
}

Seconds gemm_compute(const Kernel& kernel, const Device& device) {
  const Efficiency& efficiency = device.efficiency;
  double work = tile_work(kernel, efficiency, 0);
  for (std::size_t i = 1; i < tiles.size(); ++i) work = std::min(work, tile_work(kernel, efficiency, i));
  FlopsPerSecond rate = device.peak[static_cast<std::size_t>(kernel.precision)];
  if (kernel.precision == Precision::fp32)
    rate = rate * efficiency.plain;
  else if (!aligned(kernel))
    rate = rate * efficiency.unaligned;
  if (kernel.kind == KernelKind::convolution) rate = rate * efficiency.convolution;
  return Flops{2.0 * work * efficiency.multiprocessors} / rate;
}

// Fused attention streams keys through tiles of 128 queries per head (FlashAttention-2, 2023, section 3.3): short
// sequences leave them empty, few heads and samples leave multiprocessors idle.
Seconds attention_compute(const Kernel& kernel, const Device& device) {
  constexpr std::int64_t queries = 128;
  const double length = real(kernel.n);
  const double share = device.efficiency.attention * length / (length + device.efficiency.attention_fill);
  const double tiles_in_all = real(kernel.batch) * parts(kernel.m, queries);
  const double idle = paid_waves(tiles_in_all, device.efficiency) * device.efficiency.multiprocessors / tiles_in_all;
  return idle * (kernel.flops / (device.peak[static_cast<std::size_t>(kernel.precision)] * share));
}

Seconds memory_time(const Kernel& kernel, const Device& device) {
  const Efficiency& efficiency = device.efficiency;
  double share = efficiency.gemm_memory;
  if (kernel.kind == KernelKind::elementwise) share = efficiency.elementwise;
  if (kernel.kind == KernelKind::optimizer) share = efficiency.optimizer;
  if (kernel.kind == KernelKind::codec) share = efficiency.codec;
  return kernel.bytes / (device.memory_bandwidth * share);
}

Seconds compute_time(const Kernel& kernel, const Device& device) {
  switch (kernel.kind) {
    case KernelKind::gemm:
    case KernelKind::convolution:
      return gemm_compute(kernel, device);
    case KernelKind::attention:
      return attention_compute(kernel, device);
    case KernelKind::elementwise:
    case KernelKind::optimizer:
    case KernelKind::codec:
      break;
  }
  // Vector arithmetic runs on the fp32 units whatever the stored type.
  return kernel.flops / (device.peak[static_cast<std::size_t>(Precision::fp32)] * device.efficiency.plain);
}

}  // namespace

Seconds roofline(const Kernel& kernel, const Device& device) {
  return kernel.repeats * (std::max(compute_time(kernel, device), memory_time(kernel, device)) + device.launch) +
         kernel.fixed;
}

CostModel read_roofline(Params&) { return roofline; }

}  // namespace models
