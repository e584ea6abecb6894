#pragma once
// Memory of the machine that simulates: the numeric plane holds the vectors of all ranks at once.

#include "sim/program/program.hpp"

namespace sim {

// Weights and gradient of every rank, what its algorithm holds beside them, and the objective; 0 without learning.
Bytes numeric_memory(const TrainingProgram& program);
// Throws models::Error when `processes` such planes at once take more than `available`.
void check_numeric_memory(const TrainingProgram& program, Bytes available, int processes);

}  // namespace sim
