#include "models/objective/sparse_rows.hpp"

#include <algorithm>
#include <limits>

#include "models/base/error.hpp"
#include "models/base/units.hpp"

namespace models {
namespace {

constexpr std::string_view blanks = " \t\r";

// Cuts the first word off `rest`; empty at its end.
std::string_view next_word(std::string_view& rest) {
  const std::size_t first = rest.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  rest.remove_prefix(first);
  const std::size_t size = std::min(rest.find_first_of(blanks), rest.size());
  const std::string_view word = rest.substr(0, size);
  rest.remove_prefix(size);
  return word;
}

class Line {
 public:
  Line(std::string_view line, const std::string& file, int number) : line_(line), file_(file), number_(number) {}

  void read(SparseRows& rows) const {
    std::string_view rest = line_.substr(0, line_.find('#'));
    const std::string_view label = next_word(rest);
    if (label.empty()) return;
    rows.label.push_back(static_cast<float>(number(label, label, "a label")));
    std::int64_t last = 0;
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      const std::size_t colon = word.find(':');
      if (colon == std::string_view::npos) fail(word, "is not of the form index:value");
      const double index = number(word.substr(0, colon), word, "an index");
      const auto whole = static_cast<std::int64_t>(index);
      if (index < 1.0 || index > std::numeric_limits<std::int32_t>::max() || static_cast<double>(whole) != index)
        fail(word, "has no whole index from 1");
      if (whole <= last) fail(word, "comes after a higher or equal index");
      last = whole;
      rows.column.push_back(static_cast<std::int32_t>(whole - 1));
      rows.value.push_back(static_cast<float>(number(word.substr(colon + 1), word, "a value")));
    }
    rows.columns = std::max(rows.columns, last);
    rows.begin.push_back(static_cast<std::int64_t>(rows.column.size()));
  }

 private:
  [[noreturn]] void fail(std::string_view word, const char* what) const {
    const int column = static_cast<int>(word.data() - line_.data()) + 1;
    constexpr std::size_t longest_word = 40, longest_line = 65536;  // shown; a file of another kind may have one line
    const std::string shown =
        word.size() > longest_word ? std::string(word.substr(0, longest_word)) + "..." : std::string(word);
    throw Error({file_, number_, column, std::string(line_.substr(0, longest_line))}, "'" + shown + "' " + what,
                "a LIBSVM row is: label index:value index:value ...");
  }
  double number(std::string_view text, std::string_view word, const char* what) const {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const std::optional<double> value = read_number(text);
    if (!value) fail(word, (std::string("does not hold ") + what).c_str());
    return *value;
  }

  std::string_view line_;
  const std::string& file_;
  int number_;
};

}  // namespace

SparseRows read_libsvm(std::string_view text, const std::string& file) {
  SparseRows rows;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line(text.substr(0, end), file, number).read(rows);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (rows.rows() == 0)
    throw Error({file, 0, 0, {}}, "the file holds no rows", "a LIBSVM row is: label index:value index:value ...");
  const auto [low, high] = std::minmax_element(rows.label.begin(), rows.label.end());
  const float smaller = *low, larger = *high;
  for (float& label : rows.label) {
    if (label != smaller && label != larger)
      throw Error({file, 0, 0, {}}, "the file has more than two labels", "logistic regression needs two classes");
    label = label == larger ? 1.0f : -1.0f;
  }
  return rows;
}

}  // namespace models
