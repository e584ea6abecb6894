#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "analysis/report/rows.hpp"
#include "models/base/units.hpp"

namespace analysis {
namespace {

// RFC 4180.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string all = "\"";
  for (const char c : text) all += c == '"' ? std::string("\"\"") : std::string(1, c);
  return all + "\"";
}

std::string cell(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? models::shortest(*value) : "";
}

std::string line(const std::vector<std::string>& cells) {
  std::string all;
  for (std::size_t i = 0; i < cells.size(); ++i) all += (i == 0 ? "" : ",") + quoted(cells[i]);
  return all + "\n";
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// The columns that tell runs apart: the variant, each swept key as written and in its base unit, the seed. In series
// only those that differ.
struct Identity {
  std::vector<std::string> keys;
  std::map<std::string, std::string> units;
  bool variant = false, seed = false;

  explicit Identity(std::span<const sim::Run> runs) {
    for (const sim::Run& run : runs) {
      variant = variant || !run.variant.empty();
      seed = seed || run.seed != runs.front().seed;
      for (const sim::PointValue& value : run.point) {
        if (!contains(keys, value.key)) keys.push_back(value.key);
        if (!value.unit.empty()) units[value.key] = value.unit;
      }
    }
  }
  std::vector<std::string> header() const {
    std::vector<std::string> all;
    if (variant) all.emplace_back("variant");
    for (const std::string& key : keys) {
      all.push_back(key);
      if (units.count(key)) all.push_back(key + " [" + units.at(key) + "]");
    }
    if (seed) all.emplace_back("seed");
    return all;
  }
  std::vector<std::string> cells(const sim::Run& run) const {
    std::vector<std::string> all;
    if (variant) all.push_back(run.variant);
    for (const std::string& key : keys) {
      const auto found = std::find_if(run.point.begin(), run.point.end(),
                                      [&](const sim::PointValue& value) { return value.key == key; });
      all.push_back(found == run.point.end() ? "" : found->text);
      if (units.count(key)) all.push_back(found == run.point.end() ? "" : cell(found->value));
    }
    if (seed) all.push_back(std::to_string(run.seed));
    return all;
  }
};

std::string runs_csv(std::span<const sim::Run> runs) {
  Identity identity(runs);
  identity.seed = true;
  std::vector<std::string> names;
  for (const sim::Run& run : runs)
    for (const sim::Metric& metric : run.result.metrics)
      if (!contains(names, metric.name)) names.push_back(metric.name);
  std::vector<std::string> header = identity.header();
  header.insert(header.end(), {"status", "status_detail", "status_time_s"});
  header.insert(header.end(), names.begin(), names.end());
  std::string all = line(header);
  for (const sim::Run& run : runs) {
    std::vector<std::string> cells = identity.cells(run);
    cells.insert(cells.end(), {sim::status_names[static_cast<int>(run.result.status)], run.result.status_detail,
                               cell(run.result.status_time_s)});
    for (const std::string& name : names) {
      const sim::Metric* metric = run.result.metric(name);
      cells.push_back(metric ? cell(metric->value) : "");
    }
    all += line(cells);
  }
  return all;
}

// Columns are the union over runs: a variant may record more than another.
std::string series_csv(std::span<const sim::Run> runs, const std::string& name) {
  const Identity identity(runs);
  std::vector<std::string> columns;
  for (const sim::Run& run : runs)
    for (const sim::Series& series : run.result.series)
      if (series.name == name)
        for (const std::string& column : series.columns)
          if (!contains(columns, column)) columns.push_back(column);
  std::vector<std::string> header = identity.header();
  header.insert(header.end(), columns.begin(), columns.end());
  std::string all = line(header);
  for (const sim::Run& run : runs) {
    const std::vector<std::string> who = identity.cells(run);
    for (const sim::Series& series : run.result.series) {
      if (series.name != name) continue;
      for (std::size_t r = 0; r < series.rows.size(); ++r) {
        std::vector<std::string> cells = who;
        for (const std::string& column : columns) {
          const auto found = std::find(series.columns.begin(), series.columns.end(), column);
          const auto c = static_cast<std::size_t>(found - series.columns.begin());
          const auto text = series.texts.find({r, c});
          cells.push_back(found == series.columns.end() ? ""
                          : text != series.texts.end()  ? text->second
                                                        : cell(series.rows[r][c]));
        }
        all += line(cells);
      }
    }
  }
  return all;
}

std::string links_csv(std::span<const sim::Run> runs) {
  const Identity identity(runs);
  std::vector<std::string> header = identity.header();
  header.insert(header.end(),
                {"link", "bytes_B", "busy_fraction", "utilization", "bound_s", "peak_flows", "bottleneck"});
  std::string all = line(header);
  for (const sim::Run& run : runs) {
    const auto add = [&](const sim::LinkUse& use, const std::string& place) {
      std::vector<std::string> cells = identity.cells(run);
      cells.insert(cells.end(), {use.link, cell(use.bytes_B), cell(use.busy_fraction), cell(use.utilization),
                                 cell(use.bound_s), std::to_string(use.peak_flows), place});
      all += line(cells);
    };
    const std::vector<sim::LinkUse>& worst = run.result.bottlenecks;
    const auto place_of = [&worst](const sim::LinkUse& use) {
      return std::find_if(worst.begin(), worst.end(), [&](const sim::LinkUse& other) { return other.link == use.link; });
    };
    for (const sim::LinkUse& use : run.result.links) {
      const auto place = place_of(use);
      add(use, place == worst.end() ? "" : std::to_string(place - worst.begin() + 1));
    }
    for (std::size_t i = 0; i < worst.size(); ++i)
      if (std::none_of(run.result.links.begin(), run.result.links.end(),
                       [&](const sim::LinkUse& other) { return other.link == worst[i].link; }))
        add(worst[i], std::to_string(i + 1));
  }
  return all;
}

// A result may come from a file: its names must not lead out of the folder.
std::string file_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-');
      },
      '_');
  return name + ".csv";
}

void write_csv(const sim::ScenarioInfo&, std::span<const sim::Run> runs, Outputs& outputs) {
  if (runs.empty()) return;
  outputs.file("runs.csv", runs_csv(runs));
  if (std::any_of(runs.begin(), runs.end(), [](const sim::Run& run) { return !run.result.links.empty(); }))
    outputs.file("links.csv", links_csv(runs));
  std::vector<std::string> names;
  for (const sim::Run& run : runs)
    for (const sim::Series& series : run.result.series)
      if (!contains(names, series.name)) names.push_back(series.name);
  for (const std::string& name : names) outputs.file(file_name(name), series_csv(runs, name));
}

}  // namespace

extern const ReportRow csv_report{"csv", "runs.csv, links.csv, SERIES.csv",
                                  "all metrics of all runs in one table, the busiest links, and one table per series "
                                  "(loss.csv, ...)",
                                  write_csv};

}  // namespace analysis
