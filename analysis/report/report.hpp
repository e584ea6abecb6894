#pragma once
// Report: runs in, text out. Rows in table.cpp, one output per file.

#include <span>
#include <string_view>

#include "sim/result/run.hpp"

namespace analysis {

// Where reports put their text; the application implements it. A file is written under a temporary name and renamed, so
// that a killed run leaves the previous one whole; a name never holds a folder.
class Outputs {
 public:
  virtual ~Outputs() = default;
  virtual void print(std::string_view text) = 0;  // standard output
  virtual void file(std::string_view name, std::string_view content) = 0;
};

struct ReportRow {
  std::string_view name;
  std::string_view
      files;  // what it writes inside --out: "result.json", "runs.csv, SERIES.csv"; empty: standard output only
  std::string_view help;
  void (*write)(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs, Outputs& outputs);
};
std::span<const ReportRow> reports();
const ReportRow* find_report(std::string_view name);  // nothing: no such report

}  // namespace analysis
