#include "analysis/statistics/run_tables.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace analysis {
namespace {

using Column = MetricColumn;

const std::vector<Column> wanted = {{"step_time_s", "step time\n", 4},
                                    {"throughput_samples_per_s", "throughput\n", 4},
                                    {"exposed_communication_s", "exposed\ncomm ", 3},
                                    {"peak_memory_B", "peak\nmemory ", 3},
                                    {"final_gap", "final\ngap", 3},
                                    {"steps_to_target", "steps to\ntarget", 5},
                                    {"time_to_target_s", "time to\ntarget ", 4}};
// Shown when a job has none of the above.
constexpr std::size_t most_other_columns = 6;

// What one cell shows: the metric in its own unit, or the share of the step for communication.
std::optional<Spread> shown(const Group& group, const std::string& metric) {
  std::optional<Spread> found = spread(group, metric);
  if (metric != "exposed_communication_s" || !found) return found;
  const std::optional<Spread> step = spread(group, "step_time_s");
  if (!step || step->mean <= 0.0) return {};
  const double percent = 100.0 / step->mean;
  return Spread{found->mean * percent, found->low * percent, found->high * percent, found->count};
}

std::string cell(const Group& group, const Column& column, double factor) {
  const std::optional<Spread> value = shown(group, column.metric);
  if (!value) return "-";
  const auto number = [&](double amount) {
    const bool whole = column.metric == "steps_to_target" && amount == std::trunc(amount) && amount < 1e6;
    return whole ? std::to_string(std::llround(amount)) : significant(amount * factor, column.digits);
  };
  std::string text = number(value->mean);
  if (number(value->low) != number(value->high)) text += " [" + number(value->low) + ", " + number(value->high) + "]";
  if (value->count < group.runs.size())
    text += " (" + std::to_string(value->count) + " of " + std::to_string(group.runs.size()) + ")";
  return text;
}

std::string statuses(const Group& group) {
  std::map<int, std::size_t> counts;
  for (const sim::Run* run : group.runs) ++counts[static_cast<int>(run->result.status)];
  if (counts.size() == 1) return sim::status_names[counts.begin()->first];
  std::string all;
  for (const auto& [status, count] : counts)
    all += (all.empty() ? "" : ", ") + std::to_string(count) + " " + sim::status_names[status];
  return all;
}

void add_point_columns(const std::vector<sim::PointValue>& keys, bool variants, TextTable& table) {
  for (const std::string& name : short_keys(keys)) table.column(name);
  if (variants) table.column("variant", Side::left);
}
std::vector<std::string> point_cells(const Group& group, const std::vector<sim::PointValue>& keys, bool variants) {
  std::vector<std::string> cells;
  for (const sim::PointValue& key : keys) {
    const auto found = std::find_if(group.point().begin(), group.point().end(),
                                    [&](const sim::PointValue& value) { return value.key == key.key; });
    cells.push_back(found == group.point().end() ? "-" : found->text);
  }
  if (variants) cells.push_back(group.variant());
  return cells;
}

bool has_variants(const std::vector<Group>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const Group& group) { return !group.variant().empty(); });
}

}  // namespace

std::string run_name(const sim::Run& run) {
  const std::string at = point_text(run.point);
  if (run.variant.empty()) return at.empty() ? "the run" : at;
  return at.empty() ? run.variant : run.variant + " at " + at;
}

std::vector<Column> metric_columns(const std::vector<Group>& groups) {
  const auto present = [&](const Column& column) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](const Group& group) { return shown(group, column.metric).has_value(); });
  };
  std::vector<Column> found;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(found), present);
  if (!found.empty()) return found;
  for (const sim::Metric& metric : groups.front().runs.front()->result.metrics)
    if (const Column column{metric.name, metric.name + "\n", 4}; found.size() < most_other_columns && present(column))
      found.push_back(column);
  return found;
}

std::vector<sim::PointValue> swept_keys(const std::vector<Group>& groups) {
  std::vector<sim::PointValue> keys;
  for (const Group& group : groups)
    for (const sim::PointValue& value : group.point())
      if (std::none_of(keys.begin(), keys.end(), [&](const sim::PointValue& known) { return known.key == value.key; }))
        keys.push_back(value);
  return keys;
}

TextTable metric_table(const std::vector<Group>& groups, const std::vector<sim::PointValue>& keys,
                       const std::vector<Column>& columns) {
  TextTable table;
  const bool variants = has_variants(groups);
  add_point_columns(keys, variants, table);
  table.column("status", Side::left);
  std::vector<double> factors;
  for (const Column& column : columns) {
    double largest = 0.0;
    for (const Group& group : groups)
      if (const auto value = shown(group, column.metric)) largest = std::max(largest, value->high);
    const Scale scale = column.metric == "exposed_communication_s" ? Scale{"%", 1.0} : scale_of(column.metric, largest);
    table.column(column.header + scale.unit);
    factors.push_back(scale.factor);
  }
  for (const Group& group : groups) {
    std::vector<std::string> cells = point_cells(group, keys, variants);
    cells.push_back(statuses(group));
    for (std::size_t c = 0; c < columns.size(); ++c) cells.push_back(cell(group, columns[c], factors[c]));
    table.row(std::move(cells));
  }
  return table;
}

TextTable speed_up_table(const std::vector<Group>& groups, const std::vector<sim::PointValue>& keys) {
  TextTable table;
  add_point_columns(keys, true, table);
  const std::string base = groups.front().variant();
  table.column("speed-up against " + base, Side::left);
  const bool learning = std::any_of(groups.begin(), groups.end(),
                                    [](const Group& group) { return spread(group, "time_to_target_s").has_value(); });
  table.column(learning ? "first to target" : "faster step", Side::left);
  for (const Group& group : groups) {
    if (group.variant() == base) continue;
    const auto against = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
      return other.variant() == base && same_point(other.point(), group.point());
    });
    if (against == groups.end()) continue;
    const SpeedUp found = speed_up(*against, group);
    std::vector<std::string> cells = point_cells(group, keys, true);
    cells.push_back(sentence(found));
    cells.push_back(found.winner.empty() ? "not decided" : found.winner);
    table.row(std::move(cells));
  }
  return table;
}

// A collective job: one row per message size, in the words of nccl-tests.
TextTable collective_table(const std::vector<Group>& groups, const std::vector<sim::PointValue>& keys) {
  TextTable table;
  const bool variants = has_variants(groups);
  add_point_columns(keys, variants, table);
  const sim::Series* shape = nullptr;
  for (const Group& group : groups)
    for (const sim::Series& series : group.runs.front()->result.series)
      if (series.name == "collective" && !shape) shape = &series;
  if (!shape) return table;
  for (const std::string& name : shape->columns) {
    const Scale scale = name == "size_B" ? Scale{"B", 1.0} : scale_of(name, 1e-3);
    const std::string words = name == "size_B"                    ? "size"
                              : name == "time_s"                  ? "time"
                              : name == "algorithm_bandwidth_Bps" ? "algbw"
                              : name == "bus_bandwidth_Bps"       ? "busbw"
                                                                  : name;
    table.column(scale.unit.empty() ? words : words + "\n" + scale.unit,
                 name == "algorithm" || name == "backend" || name == "protocol" ? Side::left : Side::right);
  }
  for (const Group& group : groups)
    for (const sim::Series& series : group.runs.front()->result.series) {
      if (series.name != "collective" || series.columns != shape->columns) continue;
      for (std::size_t r = 0; r < series.rows.size(); ++r) {
        std::vector<std::string> cells = point_cells(group, keys, variants);
        for (std::size_t c = 0; c < series.columns.size(); ++c) {
          const std::optional<double> value = series.rows[r][c];
          const auto text = series.texts.find({r, c});
          const std::string& name = series.columns[c];
          if (text != series.texts.end())
            cells.push_back(text->second);
          else if (!value)
            cells.push_back("-");
          else if (name == "size_B")
            cells.push_back(with_commas(std::llround(*value)));
          else
            cells.push_back(significant(*value * scale_of(name, 1e-3).factor, 4));
        }
        table.row(std::move(cells));
      }
    }
  return table;
}

namespace {

// Of runs that wait for the network in their steps, the links that set its pace. Runs with the same ones share a line.
std::vector<std::string> bottlenecks(std::span<const sim::Run> runs) {
  constexpr double least_exposed = 0.01;  // share of the step
  constexpr std::size_t most_named = 3;
  constexpr std::size_t most_lines = 4;
  std::vector<std::pair<std::string, std::vector<const sim::Run*>>> lines;
  for (const sim::Run& run : runs) {
    const sim::Result& result = run.result;
    const sim::Metric *exposed = result.metric("exposed_communication_s"), *step = result.metric("step_time_s");
    if (!exposed || !step || !exposed->value || !step->value || *exposed->value < least_exposed * *step->value) continue;
    std::string named;
    for (std::size_t i = 0; i < std::min(most_named, result.bottlenecks.size()); ++i)
      named += (i > 0 ? ", " : "") + result.bottlenecks[i].link;
    if (named.empty()) continue;
    auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == named; });
    if (found == lines.end()) found = lines.insert(lines.end(), {named, {}});
    found->second.push_back(&run);
  }
  std::vector<std::string> all;
  for (const auto& [named, where] : lines) {
    if (all.size() == most_lines) break;
    const sim::Result& result = where.front()->result;
    std::string text = "steps wait for the network; full for the longest time: " + named;
    const sim::LinkUse& worst = result.bottlenecks.front();
    text += " (used to " + significant(worst.utilization * 100.0, 3) + " %)";
    if (where.size() < runs.size())
      text += " in " + run_name(*where.front()) +
              (where.size() > 1 ? " and " + std::to_string(where.size() - 1) + " more" : "");
    all.push_back(std::move(text));
  }
  return all;
}

}  // namespace

std::vector<Note> notes(std::span<const sim::Run> runs) {
  std::vector<Note> all;
  std::vector<std::pair<std::string, std::vector<const sim::Run*>>> warnings;
  std::vector<std::string> axes;
  for (const sim::Run& run : runs) {
    const sim::Result& result = run.result;
    if (result.status != sim::Status::completed && !result.status_detail.empty())
      all.push_back(Note{
          sim::status_names[static_cast<int>(result.status)],
          run_name(run) + ": " + result.status_detail +
              (result.status_time_s ? " (at " + significant(*result.status_time_s, 4) + " s of simulated time)" : "")});
    for (const std::string& warning : result.warnings) {
      auto found =
          std::find_if(warnings.begin(), warnings.end(), [&](const auto& known) { return known.first == warning; });
      if (found == warnings.end()) found = warnings.insert(warnings.end(), {warning, {}});
      if (found->second.empty() || found->second.back() != &run) found->second.push_back(&run);
    }
    if (!result.plane.axis.empty() && std::find(axes.begin(), axes.end(), result.plane.axis) == axes.end())
      axes.push_back(result.plane.axis);
  }
  for (const std::string& text : bottlenecks(runs)) all.push_back(Note{"bottlenecks", text});
  for (const std::string& axis : axes) all.push_back(Note{"loss", axis});
  for (const auto& [text, where] : warnings) {
    std::string named = run_name(*where.front());
    if (where.size() > 1) named += " and " + std::to_string(where.size() - 1) + " more";
    all.push_back(Note{"warning", text + (where.size() == runs.size() ? "" : " (" + named + ")")});
  }
  return all;
}

}  // namespace analysis
