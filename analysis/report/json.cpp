#include "analysis/report/json.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "analysis/report/rows.hpp"

namespace analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

// Whole numbers print as integers: 1200, not 1200.0.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  const bool negative_zero = value == 0.0 && std::signbit(value);
  if (value == std::trunc(value) && std::abs(value) < largest_exact_integer && !negative_zero)
    return static_cast<std::int64_t>(value);
  return value;
}
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json metrics_json(const std::vector<sim::Metric>& metrics) {
  Json all = Json::object();
  for (const sim::Metric& metric : metrics) all[metric.name] = number(metric.value);
  return all;
}

Json claims_json(const std::vector<sim::Metric>& metrics) {
  Json all = Json::object();
  for (const sim::Metric& metric : metrics) all[metric.name] = sim::claim_names[static_cast<int>(metric.claim)];
  return all;
}

Json series_json(const sim::Series& series) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < series.rows.size(); ++r) {
    Json row = Json::array();
    for (std::size_t c = 0; c < series.rows[r].size(); ++c) {
      const auto text = series.texts.find({r, c});
      row.push_back(text == series.texts.end() ? number(series.rows[r][c]) : Json(text->second));
    }
    rows.push_back(std::move(row));
  }
  Json all;
  all["columns"] = series.columns;
  all["rows"] = std::move(rows);
  return all;
}

Json point_json(const std::vector<sim::PointValue>& point) {
  Json all = Json::object();
  for (const sim::PointValue& at : point) {
    Json value;
    value["value"] = number(at.value);
    value["unit"] = at.unit;
    value["text"] = at.text;
    all[at.key] = std::move(value);
  }
  return all;
}

Json links_json(const std::vector<sim::LinkUse>& links) {
  Json all = Json::array();
  for (const sim::LinkUse& use : links)
    all.push_back({{"link", use.link},
                   {"bytes_B", number(use.bytes_B)},
                   {"busy_fraction", number(use.busy_fraction)},
                   {"utilization", number(use.utilization)},
                   {"bound_s", number(use.bound_s)},
                   {"peak_flows", use.peak_flows}});
  return all;
}

Json tables_of(const sim::Result& result) {
  Json all;
  all["memory"] = Json::array();
  for (const sim::MemoryEntry& entry : result.memory)
    all["memory"].push_back({{"ranks", entry.ranks}, {"category", entry.category}, {"peak_B", number(entry.peak_B)}});
  all["links"] = links_json(result.links);
  all["bottlenecks"] = links_json(result.bottlenecks);
  all["bytes"] = {{"sent_B", number(result.bytes.sent_B)},
                  {"received_B", number(result.bytes.received_B)},
                  {"lost_B", number(result.bytes.lost_B)},
                  {"retransmitted_B", number(result.bytes.retransmitted_B)}};
  all["rank_bytes"] = Json::array();
  for (const sim::RankBytes& of : result.rank_bytes)
    all["rank_bytes"].push_back({{"ranks", of.ranks},
                                 {"sent_B", number(of.sent_B)},
                                 {"received_B", number(of.received_B)},
                                 {"lost_B", number(of.lost_B)},
                                 {"retransmitted_B", number(of.retransmitted_B)}});
  all["network"] = Json::array();
  for (const sim::NetworkUse& use : result.network)
    all["network"].push_back({{"collective", use.collective},
                              {"algorithm", use.algorithm},
                              {"backend", use.backend},
                              {"share", number(use.share)}});
  all["counts"] = {{"events", result.events}, {"flows", result.flows}};
  all["constants"] = Json::array();
  for (const sim::Constant& constant : result.constants)
    all["constants"].push_back({{"name", constant.name},
                                {"value", number(constant.value)},
                                {"unit", constant.unit},
                                {"fitted_on", constant.fitted_on},
                                {"source", constant.source}});
  all["plane"] = {{"full_parameters", result.plane.full_parameters},
                  {"numeric_parameters", result.plane.numeric_parameters},
                  {"scaling", result.plane.scaling},
                  {"axis", result.plane.axis}};
  all["warnings"] = result.warnings;
  all["not_modelled"] = Json::array();
  for (const sim::NotModelled& effect : result.not_modelled)
    all["not_modelled"].push_back(
        {{"effect", effect.effect}, {"direction", effect.direction}, {"size", effect.size}, {"source", effect.source}});
  return all;
}

Json run_json(const sim::Run& run) {
  const sim::Result& result = run.result;
  Json all;
  all["variant"] = run.variant;
  all["point"] = point_json(run.point);
  all["seed"] = run.seed;
  all["status"] = sim::status_names[static_cast<int>(result.status)];
  all["status_detail"] = result.status_detail;
  all["status_time_s"] = number(result.status_time_s);
  all["metrics"] = metrics_json(result.metrics);
  all["claims"] = claims_json(result.metrics);
  all["naive"] = metrics_json(result.naive);
  all["series"] = Json::object();
  for (const sim::Series& series : result.series) all["series"][series.name] = series_json(series);
  all.update(tables_of(result));
  return all;
}

// Names are few and spans many: [rank, lane, index of the name, begin, end].
Json spans_json(const std::vector<sim::Span>& spans) {
  std::map<std::string_view, std::size_t> index;
  Json names = Json::array(), rows = Json::array();
  for (const sim::Span& span : spans) {
    const auto [found, is_new] = index.emplace(span.name, index.size());
    if (is_new) names.push_back(span.name);
    rows.push_back({span.rank, span.lane, found->second, span.begin_s, span.end_s});
  }
  return {{"names", std::move(names)}, {"rows", std::move(rows)}};
}

Json reference_json(const sim::Reference& reference) {
  Json at = Json::object();
  for (const auto& [key, text] : reference.at) at[key] = text;
  return {{"metric", reference.metric},
          {"variant", reference.variant},
          {"at", std::move(at)},
          {"value", number(reference.value)},
          {"text", reference.value_text},
          {"tolerance", number(reference.tolerance)},
          {"kind", reference_kind_names[static_cast<int>(reference.kind)]},
          {"role", reference_role_names[static_cast<int>(reference.role)]},
          {"certainty", reference_certainty_names[static_cast<int>(reference.certainty)]},
          {"expect", reference.expect},
          {"margin", number(reference.margin)},
          {"source", reference.source},
          {"place", reference.place}};
}

// Text that is not UTF-8 becomes U+FFFD instead of an exception.
std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// One key a line, one series a line: short enough to read, and a diff shows what moved.
void write_run(const Json& run, std::ostream& out) {
  const char* separator = "  {";
  for (const auto& [key, value] : run.items()) {
    out << separator << dumped(key) << ": ";
    separator = ",\n   ";
    if (key != "series" || value.empty()) {
      out << dumped(value);
      continue;
    }
    const char* between = "{\n     ";
    for (const auto& [name, series] : value.items()) {
      out << between << dumped(name) << ": " << dumped(series);
      between = ",\n     ";
    }
    out << "}";
  }
  out << "}";
}

void write_results(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs, Outputs& outputs) {
  std::ostringstream text;
  write_json(scenario, runs, text);
  outputs.file("result.json", text.str());
}

}  // namespace

void write_json(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs, std::ostream& out) {
  const Json about = {{"name", scenario.name},
                      {"file", scenario.file},
                      {"sha256", scenario.sha256},
                      {"description", scenario.description},
                      {"source", scenario.source}};
  Json references = Json::array();
  for (const sim::Reference& reference : scenario.references) references.push_back(reference_json(reference));
  out << "{\"schema\": 1,\n \"windtunnel\": \"" << WINDTUNNEL_VERSION << "\",\n \"scenario\": " << dumped(about)
      << ",\n \"seed\": " << scenario.seed << ",\n \"reference\": " << dumped(references) << ",\n \"runs\": [";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    out << (i == 0 ? "\n" : ",\n");
    write_run(run_json(runs[i]), out);
  }
  out << "]}\n";
}

std::string run_to_text(const sim::Run& run) {
  Json all = run_json(run);
  all["spans"] = spans_json(run.result.spans);
  return dumped(all);
}

extern const ReportRow json_report{
    "json", "result.json", "every run with metrics, series, memory, links and provenance (schema 1)", write_results};

}  // namespace analysis
