#pragma once
// Device memory that parts of an algorithm hold, at the size of the full model.

#include <string_view>

#include "models/base/units.hpp"

namespace models {

enum class MemoryCategory {
  weights,
  master_weights,
  gradients,
  optimizer_state,
  activations,
  logits,
  error_feedback,
  communication_buffers,
  workspace,
  framework_reserved
};
inline constexpr std::string_view memory_category_names[] = {
    "weights",        "master_weights",        "gradients", "optimizer_state",   "activations", "logits",
    "error_feedback", "communication_buffers", "workspace", "framework_reserved"};

// When a buffer is held: all the time, from the forward pass until its layer's backward pass ends, or while gradients
// are exchanged.
enum class Lifetime { run, forward_backward, exchange };
struct Buffer {
  MemoryCategory category = MemoryCategory::workspace;
  Bytes size{};
  Lifetime lifetime = Lifetime::run;
};

}  // namespace models
