#pragma once
// Synchronous data parallelism around any optimizer.

#include "models/algorithm/algorithm.hpp"
#include "models/optimizer/optimizer.hpp"

namespace models {

class Params;

// Every step averages the gradient, overlapped with the backward pass, and lets the optimizer take it. Reads the common
// keys.
AlgorithmSpec data_parallel(Params& params, OptimizerMaker maker);

}  // namespace models
