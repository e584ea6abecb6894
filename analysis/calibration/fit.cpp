#include "analysis/calibration/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "models/base/error.hpp"

namespace analysis {
namespace {

using models::Device;

// Over- and underestimates by the same factor weigh the same.
double mismatch(const Measurement& row, const Device& device) {
  const double ratio = row.predicted(device) / row.measured;
  return ratio > 1.0 ? ratio - 1.0 : 1.0 / ratio - 1.0;
}

double objective(std::span<const Measurement* const> rows, const Device& device) {
  std::map<std::string, std::pair<double, double>> sets;  // sum, count
  for (const Measurement* row : rows) {
    auto& [sum, count] = sets[row->set];
    sum += mismatch(*row, device);
    count += 1.0;
  }
  double total = 0.0;
  for (const auto& [set, sums] : sets) total += sums.first / sums.second;
  return total;
}

}  // namespace

const Parameter& parameter(const std::string& key) {
  static const std::array<Parameter, 22> all{{
      {"tile_256x128", [](Device& d) -> double& { return d.efficiency.tile[0]; }, 0.05, 1.0},
      {"tile_128x128", [](Device& d) -> double& { return d.efficiency.tile[1]; }, 0.05, 1.0},
      {"tile_128x64", [](Device& d) -> double& { return d.efficiency.tile[2]; }, 0.05, 1.0},
      {"tile_64x64", [](Device& d) -> double& { return d.efficiency.tile[3]; }, 0.02, 1.0},
      {"tile_64x16", [](Device& d) -> double& { return d.efficiency.tile[4]; }, 0.005, 1.0},
      {"fill", [](Device& d) -> double& { return d.efficiency.fill; }, 1.0, 4000.0},
      {"wave", [](Device& d) -> double& { return d.efficiency.wave; }, 0.01, 1.0},
      {"unaligned", [](Device& d) -> double& { return d.efficiency.unaligned; }, 0.05, 1.0},
      {"plain", [](Device& d) -> double& { return d.efficiency.plain; }, 0.1, 1.0},
      {"plain_fill", [](Device& d) -> double& { return d.efficiency.plain_fill; }, 0.1, 4000.0},
      {"convolution", [](Device& d) -> double& { return d.efficiency.convolution; }, 0.1, 2.0},
      {"attention", [](Device& d) -> double& { return d.efficiency.attention; }, 0.05, 1.0},
      {"attention_fill", [](Device& d) -> double& { return d.efficiency.attention_fill; }, 1.0, 8000.0},
      {"gemm_memory", [](Device& d) -> double& { return d.efficiency.gemm_memory; }, 0.1, 1.0},
      {"elementwise", [](Device& d) -> double& { return d.efficiency.elementwise; }, 0.1, 1.0},
      {"optimizer", [](Device& d) -> double& { return d.efficiency.optimizer; }, 0.1, 1.0},
      {"codec", [](Device& d) -> double& { return d.efficiency.codec; }, 0.1, 1.0},
      {"launch", [](Device& d) -> double& { return d.launch.value; }, 1e-6, 5e-5},
      {"dispatch", [](Device& d) -> double& { return d.dispatch.value; }, 1e-6, 1e-3},
      {"layer_overhead", [](Device& d) -> double& { return d.layer_overhead.value; }, 1e-7, 1e-2},
      {"step_overhead", [](Device& d) -> double& { return d.step_overhead.value; }, 1e-5, 1e-1},
      {"overlap_slowdown", [](Device& d) -> double& { return d.overlap_slowdown; }, 1.0, 2.0},
  }};
  for (const Parameter& row : all)
    if (key == row.key) return row;
  throw models::Bug("the fit knows its parameters");
}

Device fitted(Device start, std::span<const Measurement* const> rows, const std::vector<std::string>& parameters) {
  constexpr double first_factor = 1.5, last_factor = 1.005;
  Device best = std::move(start);
  double lowest = objective(rows, best);
  for (double factor = first_factor; factor > last_factor; factor = std::sqrt(factor)) {
    for (bool better = true; better;) {
      better = false;
      for (const std::string& key : parameters) {
        const Parameter& row = parameter(key);
        for (const double change : {factor, 1.0 / factor}) {
          Device trial = best;
          row.of(trial) = std::clamp(row.of(trial) * change, row.low, row.high);
          const double value = objective(rows, trial);
          if (value >= lowest * (1.0 - 1e-6)) continue;
          lowest = value;
          best = std::move(trial);
          better = true;
        }
      }
    }
  }
  return best;
}

double utilisation(std::span<const Measurement* const> rows, const Device& device) {
  std::vector<double> all;
  for (const Measurement* row : rows)
    if (row->flops.value > 0)
      all.push_back(row->flops / (row->measured * device.peak[static_cast<std::size_t>(row->precision)]));
  if (all.empty()) return 1.0;
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

Accuracy accuracy(std::span<const Measurement* const> rows, const Device& device, double share) {
  Accuracy result;
  result.rows = rows.size();
  if (rows.empty()) return result;
  std::vector<double> errors;
  for (const Measurement* row : rows) {
    errors.push_back(std::abs(row->predicted(device) / row->measured - 1.0));
    result.mean += errors.back();
    const models::Seconds flat = row->flops / (share * device.peak[static_cast<std::size_t>(row->precision)]);
    result.pure_flops_mean += std::abs(flat / row->measured - 1.0);
  }
  result.mean /= static_cast<double>(rows.size());
  result.pure_flops_mean /= static_cast<double>(rows.size());
  std::sort(errors.begin(), errors.end());
  result.p90 = errors[(errors.size() * 9) / 10];
  return result;
}

}  // namespace analysis
