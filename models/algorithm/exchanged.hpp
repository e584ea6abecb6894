#pragma once
// Synchronous descent on gradients that an exchange averages, after the backward pass.

#include "models/algorithm/algorithm.hpp"
#include "models/exchange/exchange.hpp"
#include "models/optimizer/optimizer.hpp"

namespace models {

class Params;

// Every step: own gradient, exchange, optimizer. Reads the common keys. `compressor` decides what transfers to the full
// size, and is refused when its code's size depends on the data.
AlgorithmSpec exchanged(Params& params, ExchangeMaker exchange, OptimizerMaker optimizer,
                        const CompressorMaker& compressor);

// Why a compressor cannot be used where sizes must be known before the run.
std::vector<AlgorithmSpec::Finding> compressor_findings(const CompressorMaker& compressor);

}  // namespace models
