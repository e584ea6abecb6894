#pragma once
// Optimizer: weights from gradients. State is per worker.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/algorithm/buffers.hpp"
#include "models/architecture/layout.hpp"
#include "models/base/table.hpp"
#include "models/device/cost_model.hpp"

namespace models {

struct StepInfo {
  std::int64_t step = 0;  // from 0
  double learning_rate = 0.0;
  const Layout* layout = nullptr;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void step(std::span<float> weights, std::span<const float> gradient, const StepInfo& info) = 0;
  virtual Kernel work(std::int64_t full_elements) const = 0;  // device time of one step over the full model
  // Steps over which its slowest average forgets, 1 / (1 - beta2); a shorter run shows its start only. 0: keeps no
  // average.
  virtual double horizon_steps() const { return 0.0; }
  virtual std::vector<Buffer> buffers(std::int64_t full_elements) const = 0;
};
using OptimizerMaker = std::function<std::unique_ptr<Optimizer>(std::int64_t numeric_elements)>;
const Table<OptimizerMaker>& optimizers();

// A learning rate over the run: constant, cosine, linear warm-up. Pure.
using Schedule1D = std::function<double(std::int64_t step, std::int64_t steps)>;

}  // namespace models
