#pragma once
// The backward half of a data-parallel step, and the keys that all algorithms share.

#include <optional>
#include <vector>

#include "models/algorithm/algorithm.hpp"
#include "models/optimizer/optimizer.hpp"

namespace models {

class Params;

// Averages the gradient over the group, bucket by bucket as the backward pass fills them; ends when the last is
// averaged.
Task averaged_gradient(Worker& self);
// Waits for the backward pass; the gradient stays this worker's own.
Task own_gradient(Worker& self);

struct CommonOptions {
  std::optional<Schedule1D> learning_rate;  // nothing: timing only
  Seconds step_overhead{};
};
CommonOptions read_common_options(Params& params);  // learning_rate, step_overhead
double learning_rate_at(const CommonOptions& options, std::int64_t step, std::int64_t steps);
// Learning needs a learning rate.
std::vector<AlgorithmSpec::Finding> common_findings(const CommonOptions& options, std::int64_t numeric_elements);

}  // namespace models
