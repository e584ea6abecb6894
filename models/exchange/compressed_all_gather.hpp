#pragma once
// One-pass compressed average: see the .cpp.

#include "models/exchange/error_feedback.hpp"
#include "models/exchange/exchange.hpp"

namespace models {

class Params;

struct GatherOptions {
  CompressorMaker compressor;
  ErrorFeedback error_feedback = ErrorFeedback::worker;  // none or worker
};
GatherOptions read_gather_options(Params& params);  // compressor, error_feedback
ExchangeMaker compressed_all_gather(const GatherOptions& options);

}  // namespace models
