#pragma once
// The rows of reports(), declared where table.cpp and their files can both see them, and the words of the JSON form.

#include "analysis/report/report.hpp"

namespace analysis {

extern const ReportRow text_report, json_report, csv_report, html_report, chrome_trace_report;

// In the order of sim::Reference's enums.
inline constexpr const char* reference_kind_names[] = {"value", "ratio", "order", "shape"};
inline constexpr const char* reference_role_names[] = {"predicted", "fitted", "input"};
inline constexpr const char* reference_certainty_names[] = {"read", "chart", "recalled", "inferred"};

}  // namespace analysis
