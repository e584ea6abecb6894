// One self-contained page: charts (Chart.js is embedded), and every number again in tables.

#include <algorithm>
#include <map>

#include "analysis/page/assets.hpp"
#include "analysis/page/view.hpp"
#include "analysis/report/rows.hpp"
#include "analysis/statistics/run_tables.hpp"
#include "analysis/verify/verify.hpp"
#include "models/base/units.hpp"

namespace analysis {
namespace {

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '&')
      all += "&amp;";
    else if (c == '<')
      all += "&lt;";
    else if (c == '>')
      all += "&gt;";
    else if (c == '"')
      all += "&quot;";
    else if (c == '\'')
      all += "&#39;";
    else
      all += c;
  }
  return all;
}

std::string table(const TextTable& table) {
  const auto row = [&](const std::vector<std::string>& cells, const std::string& tag) {
    std::string all = "<tr>";
    for (std::size_t c = 0; c < cells.size(); ++c)
      all +=
          "<" + tag + (table.sides()[c] == Side::right ? " class=right>" : ">") + escaped(cells[c]) + "</" + tag + ">";
    return all + "</tr>\n";
  };
  std::string all = "<table><thead>" + row(table.headers(), "th") + "</thead><tbody>\n";
  for (const auto& cells : table.rows()) all += row(cells, "td");
  return all + "</tbody></table>\n";
}

std::string card(const std::string& content) { return "<div class=card>" + content + "</div>\n"; }
std::string section(const std::string& title, const std::string& content) {
  return content.empty() ? "" : "<h2>" + escaped(title) + "</h2>\n" + content;
}
std::string card(const TextTable& made) { return made.empty() ? "" : card(table(made)); }

TextTable with_columns(const std::vector<std::string>& left) {
  TextTable made;
  for (const std::string& header : left) made.column(header, Side::left);
  return made;
}

// Rows that differ appear once each, in the order met.
template <class Item, class Cells>
std::string distinct(const std::vector<std::string>& headers, std::span<const sim::Run> runs,
                     std::vector<Item> sim::Result::*items, Cells cells) {
  TextTable made = with_columns(headers);
  std::vector<std::vector<std::string>> known;
  for (const sim::Run& run : runs)
    for (const Item& item : run.result.*items) {
      std::vector<std::string> row = cells(item);
      if (std::find(known.begin(), known.end(), row) != known.end()) continue;
      known.push_back(row);
      made.row(std::move(row));
    }
  return card(made);
}

// The weakest claim over all runs holds for the metric.
std::string claims(std::span<const sim::Run> runs) {
  constexpr const char* meaning[] = {
      "the number itself may be quoted", "ratios between variants may be quoted, the number not",
      "only which variant is larger may be said", "shows how the method behaves; nothing may be quoted"};
  std::vector<std::string> names;
  std::map<std::string, sim::Claim> weakest;
  for (const sim::Run& run : runs)
    for (const sim::Metric& metric : run.result.metrics) {
      const auto [found, is_new] = weakest.emplace(metric.name, metric.claim);
      if (is_new) names.push_back(metric.name);
      found->second = std::max(found->second, metric.claim);
    }
  TextTable made = with_columns({"claim", "metrics", "meaning"});
  for (int claim = 0; claim < 4; ++claim) {
    std::string with;
    for (const std::string& name : names)
      if (weakest.at(name) == static_cast<sim::Claim>(claim)) with += (with.empty() ? "" : ", ") + name;
    if (!with.empty()) made.row({sim::claim_names[claim], with, meaning[claim]});
  }
  return card(made);
}

std::string verification_section(const Verification& verification) {
  if (verification.rows.empty()) return "";
  std::string all;
  for (const VerifyTable& part : verify_tables(verification)) {
    std::string content = "<h3>" + escaped(part.title) + "</h3>" + table(part.table);
    for (const std::string& problem : part.problems) content += "<p class=soft>" + escaped(problem) + "</p>";
    all += card(content);
  }
  all += "<p><b>" + escaped(summary(verification.counts)) + "</b></p>";
  std::string sources;
  std::vector<std::string> known;
  for (const VerifyRow& row : verification.rows)
    if (!row.reference.source.empty() && std::find(known.begin(), known.end(), row.reference.source) == known.end()) {
      known.push_back(row.reference.source);
      sources += (sources.empty() ? "" : "; ") + row.reference.source;
    }
  return all + (sources.empty() ? "" : "<p class=soft>Published in: " + escaped(sources) + "</p>");
}

std::string plot(const std::string& id, const std::string& title, const std::string& controls = "") {
  return "<div class=card><h3>" + title + "</h3>" + controls + "<div class=plot><canvas id=" + id +
         "></canvas></div></div>\n";
}
std::string choice(const std::string& id, const std::string& label) {
  return "<label>" + label + " <select id=" + id + "></select></label>";
}

std::string charts() {
  if (chart_js().empty())
    return "<div class=note>This program was built without Chart.js (Debian package libjs-chart.js), so there are no "
           "charts: the tables below hold the numbers. "
           "Install it, build again and write the report from result.json.</div>\n";
  const std::string controls =
      "<div class=controls>" + choice("metric", "metric") + choice("key", "against") + "</div>";
  return "<div class=controls>" + choice("point", "sweep point of the curves, memory and links") +
         "</div><div class=grid>\n" + plot("gap_time", "Gap against simulated time") +
         plot("gap_steps", "Gap against steps") +
         plot("against", "Metrics and published points (hollow, with tolerance)", controls) +
         plot("parts", "What a step consists of", "<div class=controls>" + choice("unit", "show") + "</div>") +
         plot("sizes", "Bus bandwidth against message size") + plot("memory", "Peak memory") +
         plot("links", "The busiest links") + plot("usage", "Use of the ten busiest links over time", "<div class=controls>" + choice("usage_run", "run") + "</div>") + "</div>\n";
}

std::string tables(std::span<const sim::Run> runs) {
  const std::vector<Group> groups = grouped(runs);
  const std::vector<sim::PointValue> keys = swept_keys(groups);
  const TextTable sizes = collective_table(groups, keys);
  if (!sizes.empty()) return card(sizes);
  return card(metric_table(groups, keys, metric_columns(groups))) + card(speed_up_table(groups, keys));
}

// The ten links of each run that were full for the longest time.
std::string bottlenecks(std::span<const sim::Run> runs) {
  constexpr std::size_t most_runs = 24;
  TextTable made = with_columns({"run", "link"});
  for (const char* header : {"full for (s)", "busy", "used", "bytes", "most transfers"}) made.column(header, Side::right);
  const auto percent = [](double fraction) { return significant(fraction * 100.0, 3) + " %"; };
  for (const sim::Run& run : runs.first(std::min(most_runs, runs.size())))
    for (const sim::LinkUse& use : run.result.bottlenecks)
      made.row({run_name(run), use.link, use.bound_s ? significant(*use.bound_s, 4) : "", percent(use.busy_fraction),
                percent(use.utilization), models::text(models::Bytes{use.bytes_B}), std::to_string(use.peak_flows)});
  return card(made);
}

// How long the collectives waited and moved data.
std::string queueing(std::span<const sim::Run> runs) {
  constexpr std::size_t most_runs = 24;
  TextTable made = with_columns({"run", "collective", "kind"});
  for (const char* header : {"size", "calls", "for its members (s)", "for the stream (s)", "moving (s)"})
    made.column(header, Side::right);
  const auto cell = [](const std::optional<double>& value) { return value ? significant(*value, 4) : std::string(); };
  for (const sim::Run& run : runs.first(std::min(most_runs, runs.size())))
    for (const sim::Series& series : run.result.series) {
      if (series.name != "queueing" || series.columns.size() < 7) continue;
      for (std::size_t r = 0; r < series.rows.size(); ++r) {
        const auto name = series.texts.find({r, 0}), kind = series.texts.find({r, 1});
        if (name == series.texts.end() || kind == series.texts.end() || !series.rows[r][2]) continue;
        const auto& row = series.rows[r];
        made.row({run_name(run), name->second, kind->second, models::text(models::Bytes{*row[2]}), cell(row[3]),
                  cell(row[4]), cell(row[5]), cell(row[6])});
      }
    }
  return card(made);
}

std::string provenance(std::span<const sim::Run> runs) {
  return section("Constants used",
                 distinct<sim::Constant>({"constant", "value", "fitted on", "source"}, runs, &sim::Result::constants,
                                         [](const sim::Constant& c) {
                                           return std::vector<std::string>{
                                               c.name, models::shortest(c.value) + (c.unit.empty() ? "" : " " + c.unit),
                                               c.fitted_on.empty() ? "-" : c.fitted_on, c.source};
                                         })) +
         section("Effects not modelled",
                 distinct<sim::NotModelled>({"effect", "makes the result", "size", "source"}, runs,
                                            &sim::Result::not_modelled,
                                            [](const sim::NotModelled& n) {
                                              return std::vector<std::string>{n.effect, n.direction, n.size, n.source};
                                            })) +
         section("Network",
                 distinct<sim::NetworkUse>({"collective", "algorithm", "backend", "share"}, runs, &sim::Result::network,
                                           [](const sim::NetworkUse& n) {
                                             return std::vector<std::string>{n.collective, n.algorithm, n.backend,
                                                                             significant(n.share * 100.0, 3) + " %"};
                                           })) +
         section("Bottlenecks", bottlenecks(runs)) + section("Queueing", queueing(runs)) +
         section("Memory of a rank",
                 distinct<sim::MemoryEntry>(
                     {"ranks", "category", "peak (GiB)"}, runs, &sim::Result::memory, [](const sim::MemoryEntry& m) {
                       return std::vector<std::string>{m.ranks, m.category, significant(m.peak_B / 1073741824.0, 3)};
                     }));
}

void write_html(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs, Outputs& outputs) {
  if (runs.empty()) return;
  const Verification verification = verify(scenario, runs);
  std::string page =
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
      "'unsafe-inline'\">\n<title>" +
      escaped(scenario.name) + "</title>\n<style>\n" + std::string(page_style()) +
      "</style></head><body>\n<header><h1>" + escaped(scenario.name) + "</h1>";
  if (!scenario.description.empty()) page += "<p>" + escaped(scenario.description) + "</p>";
  if (!scenario.source.empty()) page += "<p class=soft>" + escaped(scenario.source) + "</p>";
  page += "<p class=\"soft mono\">" + escaped(scenario.file) + ", seed " + std::to_string(scenario.seed) + ", " +
          std::to_string(runs.size()) + (runs.size() == 1 ? " run" : " runs") + "</p></header>\n<main>\n";
  std::string remarks;
  for (const Note& note : notes(runs))
    remarks += "<div class=note><b>" + escaped(note.kind) + "</b>: " + escaped(note.text) + "</div>\n";
  page += section("Results", tables(runs) + remarks) + section("Charts", charts()) +
          section("Against published numbers", verification_section(verification)) +
          section("What may be claimed", claims(runs)) + provenance(runs);
  page += "</main>\n<footer>windtunnel " WINDTUNNEL_VERSION ", scenario sha256 " + escaped(scenario.sha256) +
          "</footer>\n<script type=\"application/json\" id=data>" + chart_data(runs, verification) + "</script>\n";
  if (!chart_js().empty())
    page += "<script>" + std::string(chart_js()) + "</script>\n<script>\n" + std::string(page_script()) + "</script>\n";
  outputs.file("report.html", page + "</body></html>\n");
}

}  // namespace

extern const ReportRow html_report{
    "html", "report.html", "one self-contained page with charts, published points, claims and constants", write_html};

}  // namespace analysis
