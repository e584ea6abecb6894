// Every element rounded to nearest in binary16, IEEE 754-2008: 11 significant bits, largest number 65,504.

#include "models/base/params.hpp"
#include "models/compression/cast.hpp"
#include "models/kernel/half.hpp"

namespace models {

CompressorMaker read_fp16(Params&) {
  return [] { return std::make_unique<Cast>("fp16 encode", "fp16 decode", to_fp16, from_fp16); };
}

}  // namespace models
