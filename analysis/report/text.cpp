#include <algorithm>

#include "analysis/report/rows.hpp"
#include "analysis/statistics/run_tables.hpp"

namespace analysis {
namespace {

constexpr std::size_t line_width = 118;

// One table where it fits, else timing and learning apart (intervals over repeats are wide).
std::string metric_tables(const std::vector<Group>& groups, const std::vector<sim::PointValue>& keys) {
  const std::vector<MetricColumn> columns = metric_columns(groups);
  const std::string whole = metric_table(groups, keys, columns).text();
  const auto learning = std::find_if(columns.begin(), columns.end(),
                                     [](const MetricColumn& column) { return column.metric == "final_gap"; });
  std::size_t widest = 0, start = 0;
  for (std::size_t end = whole.find('\n'); end != std::string::npos; start = end + 1, end = whole.find('\n', start))
    widest = std::max(widest, width(whole.substr(start, end - start)));
  if (widest <= line_width || learning == columns.begin() || learning == columns.end()) return whole;
  return metric_table(groups, keys, {columns.begin(), learning}).text() + "\n" +
         metric_table(groups, keys, {learning, columns.end()}).text();
}

void write_text(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs, Outputs& outputs) {
  if (runs.empty()) return;
  const std::vector<Group> groups = grouped(runs);
  const std::vector<sim::PointValue> keys = swept_keys(groups);
  std::size_t repeats = 1;
  for (const Group& group : groups) repeats = std::max(repeats, group.runs.size());
  std::string all = scenario.name + " (" + scenario.file + ", seed " + std::to_string(scenario.seed);
  all += repeats > 1 ? ", " + std::to_string(repeats) + " repeats: mean [min, max])\n\n" : ")\n\n";
  const TextTable sizes = collective_table(groups, keys);
  all += sizes.empty() ? metric_tables(groups, keys) : sizes.text();
  if (const TextTable speed_ups = speed_up_table(groups, keys); sizes.empty() && !speed_ups.empty())
    all += "\n" + speed_ups.text();
  const std::vector<Note> below = notes(runs);
  if (!below.empty()) all += "\n";
  for (const Note& note : below) all += wrapped(note.kind + ": " + note.text, line_width, note.kind.size() + 2) + "\n";
  outputs.print(all);
}

}  // namespace

extern const ReportRow text_report{
    "text", "", "a table on standard output: one row per run, speed-ups of variants, warnings", write_text};

}  // namespace analysis
