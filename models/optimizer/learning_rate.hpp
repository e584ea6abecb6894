#pragma once
// The learning rate over a run, shared by all optimizers: `learning_rate: 0.01` or `{peak, schedule, warmup_steps,
// final}`.

#include <optional>

#include "models/optimizer/optimizer.hpp"

namespace models {

class Params;

// Nothing when the key is absent (timing-only runs need none). From `peak` after `warmup_steps` of a linear rise from
// `start` to `final` at the run's end: constant stays at the peak; cosine: final + (peak - final) (1 + cos(pi t)) / 2;
// linear: a straight line; polynomial: final + (peak - final) (1 - t)^power; t = share of the steps after the warm-up.
std::optional<Schedule1D> read_learning_rate(Params& params);

}  // namespace models
