#include "analysis/calibration/rows.hpp"

#include <fstream>
#include <sstream>

#include "models/base/error.hpp"
#include "models/base/units.hpp"

namespace analysis {
namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) all.push_back(cell);
  return all;
}

}  // namespace

double Rows::number(std::size_t row, std::size_t column) const {
  const int line = static_cast<int>(row) + 2;
  if (column >= rows[row].size()) throw models::Error({file, line, 0, {}}, "the row is too short");
  const auto value = models::read_number(rows[row][column]);
  if (!value) throw models::Error({file, line, 0, {}}, "'" + rows[row][column] + "' is not a number");
  return *value;
}

Rows read_rows(const std::string& file) {
  Rows result;
  result.file = file;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    if (result.columns.empty())
      result.columns = cells(line);
    else
      result.rows.push_back(cells(line));
  }
  return result;
}

}  // namespace analysis
