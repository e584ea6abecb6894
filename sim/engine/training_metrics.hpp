#pragma once
// From what a training run recorded to the metrics and series of its result.

#include "sim/engine/training_worker.hpp"

namespace sim {

// `numbers`: rows of the numeric plane, to be joined with the times of the steps; null: timing only.
void add_training_result(Result& result, const TrainingRun& run, const Trajectory* numbers, const Options& options);

// The first step after which the gap stays below `target` for 2 % of the steps or 10 evaluations, whichever is more;
// nothing when that never was seen.
std::optional<std::int64_t> steps_to_target(const Trajectory& numbers, double target, std::int64_t steps,
                                            std::int64_t evaluate_every);

}  // namespace sim
