#pragma once
// Keys that Adam and its relatives share.

#include "models/device/cost_model.hpp"
#include "models/kernel/descent.hpp"

namespace models {

class Params;

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.0;
  bool bias_correction = false;
};
AdamOptions read_adam_options(Params& params);  // betas, eps, weight_decay
inline double horizon_steps(const AdamOptions& options) { return 1.0 / (1.0 - options.beta2); }

// The constants of the update number `updates` (from 1).
AdamStep adam_constants(const AdamOptions& options, double learning_rate, long long updates);
// One pass over x, m, v and the gradient: 16 bytes read, 12 written per element.
Kernel adam_work(long long full_elements);

}  // namespace models
