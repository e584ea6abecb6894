#pragma once
// Comma-separated rows of a measured data set.

#include <cstdint>
#include <string>
#include <vector>

namespace analysis {

struct Rows {
  std::string file;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  double number(std::size_t row, std::size_t column) const;  // throws models::Error when the cell is no number
  std::int64_t count(std::size_t row, std::size_t column) const {
    return static_cast<std::int64_t>(number(row, column));
  }
};
// No rows when the file is absent.
Rows read_rows(const std::string& file);

}  // namespace analysis
