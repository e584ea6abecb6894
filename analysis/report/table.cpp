#include <array>

#include "analysis/report/report.hpp"
#include "analysis/report/rows.hpp"

namespace analysis {

std::span<const ReportRow> reports() {
  static const std::array<ReportRow, 2> rows{text_report, json_report};
  return rows;
}

const ReportRow* find_report(std::string_view name) {
  for (const ReportRow& row : reports())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace analysis
