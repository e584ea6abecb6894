#pragma once
// Fits a device's efficiencies and overheads on measured rows, and says how far off predictions are.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/calibration/measurement.hpp"

namespace analysis {

struct Parameter {
  const char* key;  // in the device's data file
  std::function<double&(models::Device&)> of;
  double low, high;
};
// All that can be fitted, by key.
const Parameter& parameter(const std::string& key);

// Lowers the mean error of `rows` (each set weighs the same) by changing `parameters` in turn, by ever smaller factors;
// deterministic.
models::Device fitted(models::Device start, std::span<const Measurement* const> rows,
                      const std::vector<std::string>& parameters);

struct Accuracy {
  std::size_t rows = 0;
  double mean = 0.0, p90 = 0.0;  // of |predicted / measured - 1|
  double pure_flops_mean =
      0.0;  // of a model that knows only flops: one utilisation for all, the median of the fitted rows
};
Accuracy accuracy(std::span<const Measurement* const> rows, const models::Device& device, double utilisation);
// Median of flops / (measured time x peak).
double utilisation(std::span<const Measurement* const> rows, const models::Device& device);

}  // namespace analysis
