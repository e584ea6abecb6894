#pragma once
// Report: runs in, text out. One output per file; rows in table.cpp.

#include <functional>
#include <iosfwd>
#include <span>
#include <string_view>

#include "sim/result/run.hpp"

namespace analysis {

// file: name inside --out ("result.json"); empty: standard output.
struct ReportRow {
  std::string_view name, file, help;
  void (*write)(const sim::ScenarioInfo&, std::span<const sim::Run>, std::ostream&);
};
std::span<const ReportRow> reports();  // text, json, csv (one file per series: see csv.hpp), html, chrome_trace

}  // namespace analysis
