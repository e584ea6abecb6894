#pragma once
// Labelled sparse rows, and the text format they come in.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace models {

// Compressed rows: entries [begin[r], begin[r + 1]) of row r.
struct SparseRows {
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> column;
  std::vector<float> value;
  std::vector<float> label;  // -1 or +1
  std::int64_t columns = 0;  // one past the highest

  std::int64_t rows() const { return static_cast<std::int64_t>(label.size()); }
};

// LIBSVM text: `label index:value ...`, indices from 1 and rising, `#` starts a comment. Labels: the smaller of two is
// -1, the larger +1. Throws Error with file and line for what is malformed.
SparseRows read_libsvm(std::string_view text, const std::string& file);

}  // namespace models
