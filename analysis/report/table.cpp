#include <array>

#include "analysis/report/report.hpp"
#include "analysis/report/rows.hpp"

namespace analysis {

std::span<const ReportRow> reports() {
  static const std::array<ReportRow, 5> rows{text_report, json_report, csv_report, html_report, chrome_trace_report};
  return rows;
}

const ReportRow* find_report(std::string_view name) {
  for (const ReportRow& row : reports())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace analysis
