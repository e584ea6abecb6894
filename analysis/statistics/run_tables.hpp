#pragma once
// The tables that every report for people shows: a row per point, the speed-ups of variants, the sizes of a collective
// job, and the notes below.

#include <span>
#include <string>
#include <vector>

#include "analysis/statistics/format.hpp"
#include "analysis/statistics/summary.hpp"
#include "sim/result/run.hpp"

namespace analysis {

struct MetricColumn {
  std::string metric, header;  // the unit is appended to the header
  int digits = 4;
};
// Those of the usual columns that some run has; else the first metrics there are.
std::vector<MetricColumn> metric_columns(const std::vector<Group>& groups);
// One value for each swept key, in the order met.
std::vector<sim::PointValue> swept_keys(const std::vector<Group>& groups);

// Groups and keys as grouped() and swept_keys() give them, not empty. Over repeats a cell is mean [min, max].
TextTable metric_table(const std::vector<Group>& groups, const std::vector<sim::PointValue>& keys,
                       const std::vector<MetricColumn>& columns);
TextTable speed_up_table(const std::vector<Group>& groups,
                         const std::vector<sim::PointValue>& keys);  // empty with one variant
TextTable collective_table(const std::vector<Group>& groups,
                           const std::vector<sim::PointValue>& keys);  // empty for other jobs

// Variant and point of a run, for a line about it.
std::string run_name(const sim::Run& run);

struct Note {
  std::string kind, text;  // a status, "loss", "warning"
};
// Each warning once, with the runs that have it.
std::vector<Note> notes(std::span<const sim::Run> runs);

}  // namespace analysis
