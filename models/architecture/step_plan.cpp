#include "models/architecture/step_plan.hpp"

#include <algorithm>

namespace models {
namespace {

Seconds pass_time(const std::vector<Kernel>& kernels, double operations, const Device& device, const CostModel& cost) {
  Seconds busy{};
  for (const Kernel& kernel : kernels) busy += cost(kernel, device);
  return std::max(busy, operations * device.dispatch) + device.layer_overhead;
}

}  // namespace

Seconds forward_time(const LayerWork& layer, const Device& device, const CostModel& cost) {
  return pass_time(layer.forward, layer.forward_operations, device, cost);
}

Seconds backward_time(const LayerWork& layer, const Device& device, const CostModel& cost) {
  return pass_time(layer.backward, layer.backward_operations, device, cost);
}

}  // namespace models
