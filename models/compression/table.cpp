#include "models/compression/compressor.hpp"

namespace models {

CompressorMaker read_identity(Params& params);
CompressorMaker read_one_bit(Params& params);

const Table<CompressorMaker>& compressors() {
  static constexpr Row<CompressorMaker> rows[] = {
      {"identity", "no compression: 4 bytes per element [definition]", read_identity},
      {"one_bit", "one sign bit per element and one scale [Seide et al., Interspeech 2014]", read_one_bit},
  };
  static constexpr Table<CompressorMaker> table("compressor", rows);
  return table;
}

}  // namespace models
