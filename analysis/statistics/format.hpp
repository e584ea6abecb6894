#pragma once
// Numbers and tables for people: significant digits, one unit for a whole column, aligned text.

#include <cstdint>
#include <string>
#include <vector>

namespace analysis {

// `digits` significant digits, no exponent between 1e-3 and 1e7: 0.00412, 12.3, 20480, 3.4e-05.
std::string significant(double value, int digits);
// 20,480
std::string with_commas(std::int64_t value);

// What a number measures, by its name's unit; decides the unit in a header.
struct Scale {
  std::string unit;
  double factor = 1.0;  // shown = value x factor
};
// From the suffix of a metric's name (_s, _B, _B_per_step_per_rank, _per_s) and the largest value to be shown: seconds
// or milliseconds, GiB or MiB.
Scale scale_of(const std::string& metric, double largest);

enum class Side { left, right };
class TextTable {
 public:
  // A header may hold one line break: the unit goes below the name.
  void column(std::string header, Side side = Side::right);
  void row(std::vector<std::string> cells);  // one per column
  bool empty() const { return rows_.empty(); }
  const std::vector<std::string>& headers() const { return headers_; }
  const std::vector<Side>& sides() const { return sides_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  // Lines ended by a newline; two spaces between columns, a rule under the headers, nothing after the last cell.
  std::string text() const;

 private:
  std::vector<std::string> headers_;
  std::vector<Side> sides_;
  std::vector<std::vector<std::string>> rows_;
};

// Code points, as a terminal counts columns.
std::size_t width(const std::string& text);
// Lines of at most `columns`, broken at spaces; later lines start with `indent` spaces.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent);

}  // namespace analysis
