// Every element rounded to nearest in bfloat16: 8 significant bits, the range of a float (Kalamkar et al.,
// arXiv:1905.12322).

#include "models/base/params.hpp"
#include "models/compression/cast.hpp"
#include "models/kernel/half.hpp"

namespace models {

CompressorMaker read_bf16(Params&) {
  return [] { return std::make_unique<Cast>("bf16 encode", "bf16 decode", to_bf16, from_bf16); };
}

}  // namespace models
