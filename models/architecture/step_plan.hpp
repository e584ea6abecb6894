#pragma once
// An architecture expanded into the layers of one micro-batch: kernels forward and backward, parameters, activations.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/device/cost_model.hpp"

namespace models {

class Params;

enum class Recompute { none, selective, full };
inline constexpr std::string_view recompute_names[] = {"none", "selective", "full"};

// One micro-batch on one rank.
struct BatchShape {
  std::int64_t samples = 1;
  std::int64_t sequence_length = 0;  // transformers; 0: the architecture's default. CNNs ignore it
};

struct LayerWork {
  std::string name;  // embedding, block 0, ..., head
  std::int64_t parameters = 0;
  std::vector<Kernel> forward;   // in order
  std::vector<Kernel> backward;  // in order; includes recomputation
  Bytes activations{};           // kept from forward to backward for one micro-batch
  double forward_operations = 0.0,
         backward_operations = 0.0;  // that the host issues; a backward operation launches one or two kernels
};
// A layer's pass on a device: its kernels one after another or the host issuing them, whichever is longer, and the
// layer's overhead.
Seconds forward_time(const LayerWork& layer, const Device& device, const CostModel& cost);
Seconds backward_time(const LayerWork& layer, const Device& device, const CostModel& cost);

struct StepPlan {
  std::vector<LayerWork> layers;  // forward order
  std::int64_t parameters = 0;    // sum over layers
  Flops model_flops{};            // per micro-batch, forward + backward, no recompute, causal attention counted half
  Flops hardware_flops{};         // with recompute and what the kernels really execute: never less
  std::int64_t tokens = 0;        // per micro-batch; CNNs: 0
  Bytes logits{};                 // peak of the output head
  Bytes workspace{};
};

// An architecture preset or inline mapping, validated; dimensions in the field's usual names.
class Architecture {
 public:
  virtual ~Architecture() = default;
  virtual const std::string& name() const = 0;
  virtual std::int64_t parameters() const = 0;
  virtual std::int64_t default_sequence_length() const = 0;  // 0 for CNNs
  virtual std::int64_t maximum_sequence_length() const = 0;  // 0: no limit
  virtual StepPlan step_plan(const BatchShape& batch, Precision precision, Recompute recompute) const = 0;
};
// family: transformer | cnn, then its keys.
std::unique_ptr<const Architecture> read_architecture(Params& params);

}  // namespace models
