#include <vector>

#include "models/compression/compressor.hpp"
#include "models/compression/sparse.hpp"

namespace models {

CompressorMaker read_identity(Params& params);
CompressorMaker read_fp16(Params& params);
CompressorMaker read_bf16(Params& params);
CompressorMaker read_one_bit(Params& params);
CompressorMaker read_sign(Params& params);
CompressorMaker read_qsgd(Params& params);
CompressorMaker read_terngrad(Params& params);
CompressorMaker read_min_max_uint8(Params& params);
CompressorMaker read_dynamic_8bit(Params& params);
CompressorMaker read_uniform(Params& params);
CompressorMaker read_top_k(Params& params);
CompressorMaker read_random_k(Params& params);
CompressorMaker read_threshold(Params& params);

namespace {

constexpr Row<CompressorMaker> rows[] = {
    {"identity", "no compression: 4 bytes per element [definition]", read_identity},
    {"fp16", "binary16, rounded to nearest [IEEE 754-2008]", read_fp16},
    {"bf16", "bfloat16, rounded to nearest [Kalamkar et al., arXiv:1905.12322]", read_bf16},
    {"one_bit", "one sign bit per element and one scale [Seide et al., Interspeech 2014]", read_one_bit},
    {"sign", "one sign bit per element, no scale: majority vote [Bernstein et al., ICML 2018]", read_sign},
    {"qsgd",
     "random rounding to levels of the bucket's norm, fixed width or Elias coded [Alistarh et al., NeurIPS 2017]",
     read_qsgd},
    {"terngrad", "0 or +-max at random, 2 bits [Wen et al., NeurIPS 2017]", read_terngrad},
    {"min_max_uint8", "255 steps between min and max, to nearest [Gan et al., BAGUA, VLDB 2021]", read_min_max_uint8},
    {"dynamic_8bit", "sign, decade and fraction in a byte [Dettmers, ICLR 2016]", read_dynamic_8bit},
    {"uniform", "n bits between min and max, rounded at random [Tang et al., NeurIPS 2018]", read_uniform},
    // From here on sparse: the rows above may code their values.
    {"top_k", "the largest magnitudes and their positions [Aji and Heafield, EMNLP 2017]", read_top_k},
    {"random_k", "elements drawn at random, positions by a shared seed [Stich et al., NeurIPS 2018]", read_random_k},
    {"threshold", "every element from a magnitude on [Strom, Interspeech 2015]", read_threshold},
};
constexpr std::size_t dense_rows = 10;

}  // namespace

const Table<CompressorMaker>& compressors() {
  static constexpr Table<CompressorMaker> table("compressor", rows);
  return table;
}

const Table<CompressorMaker>& dense_compressors() {
  static constexpr Table<CompressorMaker> table("compressor of values", std::span(rows).first(dense_rows));
  return table;
}

}  // namespace models
