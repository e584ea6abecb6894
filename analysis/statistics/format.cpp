#include "analysis/statistics/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "models/base/error.hpp"

namespace analysis {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string padded(const std::string& text, std::size_t columns, Side side) {
  const std::string space(columns - std::min(columns, width(text)), ' ');
  return side == Side::left ? text + space : space + text;
}

}  // namespace

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0.0 ? "-inf" : "inf";
  if (value == 0.0) return "0";
  // The exponent after rounding, so that 9.999 with three digits is 10.0.
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent < -3 || exponent >= 7) return scientific;
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

std::string with_commas(std::int64_t value) {
  std::string text = std::to_string(value);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

Scale scale_of(const std::string& metric, double largest) {
  constexpr double gibibyte = 1073741824.0, mebibyte = 1048576.0;
  if (metric.find("samples_per_s") != std::string::npos) return {"samples/s", 1.0};
  if (metric.find("tokens_per_s") != std::string::npos) return {"tokens/s", 1.0};
  if (metric.find("requests_per_s") != std::string::npos) return {"requests/s", 1.0};
  if (ends_with(metric, "_Bps")) return {"GB/s", 1e-9};
  if (metric.find("wire_B") != std::string::npos) return {"MB", 1e-6};
  if (ends_with(metric, "_B")) return largest >= gibibyte ? Scale{"GiB", 1.0 / gibibyte} : Scale{"MiB", 1.0 / mebibyte};
  if (ends_with(metric, "_s"))
    return largest >= 86400.0 ? Scale{"h", 1.0 / 3600.0}
           : largest >= 1.0   ? Scale{"s", 1.0}
           : largest >= 1e-3  ? Scale{"ms", 1e3}
                              : Scale{"us", 1e6};
  if (ends_with(metric, "_usd")) return {"USD", 1.0};
  return {"", 1.0};
}

void TextTable::column(std::string header, Side side) {
  headers_.push_back(std::move(header));
  sides_.push_back(side);
}

void TextTable::row(std::vector<std::string> cells) {
  models::ensure(cells.size() == headers_.size(), "a row of a table has one cell per column");
  for (std::string& cell : cells)  // names come from users: a control character must not reach a terminal
    std::replace_if(
        cell.begin(), cell.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; }, '?');
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::string> names, units;
  for (const std::string& header : headers_) {
    const std::size_t end = std::min(header.find('\n'), header.size());
    names.push_back(header.substr(0, end));
    units.push_back(end < header.size() ? header.substr(end + 1) : "");
  }
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < headers_.size(); ++c) {
    widths.push_back(std::max(width(names[c]), width(units[c])));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string all;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string one;
    for (std::size_t c = 0; c < cells.size(); ++c) one += (c == 0 ? "" : "  ") + padded(cells[c], widths[c], sides_[c]);
    one.erase(one.find_last_not_of(' ') + 1);
    all += one + "\n";
  };
  line(names);
  if (std::any_of(units.begin(), units.end(), [](const std::string& unit) { return !unit.empty(); })) line(units);
  std::vector<std::string> rule;
  for (const std::size_t columns : widths) rule.emplace_back(columns, '-');
  line(rule);
  for (const auto& row : rows_) line(row);
  return all;
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::string all;
  std::size_t used = 0;
  bool line_is_fresh = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line_is_fresh && used + 1 + width(word) > columns) {
      all += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!line_is_fresh) {
      all += ' ';
      ++used;
    }
    all += word;
    used += width(word);
    line_is_fresh = false;
    at = end + 1;
  }
  return all;
}

}  // namespace analysis
