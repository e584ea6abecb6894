#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/report/json.hpp"
#include "analysis/report/rows.hpp"
#include "models/base/error.hpp"

namespace analysis {
namespace {

using Json = nlohmann::ordered_json;

// A value with the way to it, spelt out only when something is wrong: runs[3].metrics.step_time_s.
struct Cursor {
  const Json* value;
  const std::string* file;
  const Cursor* parent = nullptr;
  std::string_view key{};
  std::size_t index = 0;

  std::string path() const {
    if (!parent) return "";
    const std::string before = parent->path();
    if (parent->value->is_array()) return before + "[" + std::to_string(index) + "]";
    return before.empty() ? std::string(key) : before + "." + std::string(key);
  }
  [[noreturn]] void wrong(const std::string& expected) const {
    const std::string where = path();
    throw models::Error(models::Place{*file, 0, 0, ""}, (where.empty() ? "the file" : where) + " is not " + expected,
                        "this is not a result of windtunnel, or it was changed by hand");
  }
};

bool has(const Cursor& at, const char* key) { return at.value->is_object() && at.value->contains(key); }
Cursor member(const Cursor& at, const char* key) {
  if (!has(at, key)) at.wrong("a mapping with the key '" + std::string(key) + "'");
  return {&(*at.value)[key], at.file, &at, key, 0};
}
template <class Use>
void each_item(const Cursor& at, Use use) {
  if (!at.value->is_array()) at.wrong("a list");
  for (std::size_t i = 0; i < at.value->size(); ++i) use(Cursor{&(*at.value)[i], at.file, &at, {}, i});
}
template <class Use>
void each_member(const Cursor& at, Use use) {
  if (!at.value->is_object()) at.wrong("a mapping");
  for (const auto& [key, value] : at.value->items()) use(key, Cursor{&value, at.file, &at, key, 0});
}

std::string text(const Cursor& at) {
  if (!at.value->is_string()) at.wrong("text");
  return at.value->get<std::string>();
}
std::optional<double> perhaps_number(const Cursor& at) {
  if (at.value->is_null()) return {};
  if (!at.value->is_number()) at.wrong("a number");
  return at.value->get<double>();
}
double number(const Cursor& at) { return perhaps_number(at).value_or(std::numeric_limits<double>::quiet_NaN()); }
template <class Integer>
Integer whole(const Cursor& at) {
  if (!at.value->is_number_integer()) at.wrong("a whole number");
  return at.value->get<Integer>();
}
std::string text_of(const Cursor& at, const char* key) { return text(member(at, key)); }
double number_of(const Cursor& at, const char* key) { return number(member(at, key)); }
std::string added_text(const Cursor& at, const char* key) { return has(at, key) ? text_of(at, key) : std::string(); }

template <class Enum, std::size_t N>
Enum named(const Cursor& at, const char* const (&names)[N]) {
  const std::string name = text(at);
  for (std::size_t i = 0; i < N; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  std::string all;
  for (const char* known : names) all += (all.empty() ? "" : ", ") + std::string(known);
  at.wrong("one of " + all);
}

void read_metrics(const Cursor& run, sim::Result& result) {
  const Cursor metrics = member(run, "metrics"), claims = member(run, "claims");
  each_member(metrics, [&](const std::string& name, const Cursor& value) {
    sim::Metric metric{name, perhaps_number(value), sim::Claim::value};
    if (has(claims, name.c_str())) metric.claim = named<sim::Claim>(member(claims, name.c_str()), sim::claim_names);
    result.metrics.push_back(std::move(metric));
  });
  if (has(run, "naive"))
    each_member(member(run, "naive"), [&](const std::string& name, const Cursor& value) {
      result.naive.push_back(sim::Metric{name, perhaps_number(value), sim::Claim::value});
    });
}

sim::Series read_series(const std::string& name, const Cursor& at) {
  sim::Series series;
  series.name = name;
  each_item(member(at, "columns"), [&](const Cursor& column) { series.columns.push_back(text(column)); });
  each_item(member(at, "rows"), [&](const Cursor& row) {
    std::vector<std::optional<double>> cells;
    each_item(row, [&](const Cursor& cell) {
      if (cell.value->is_string()) {
        series.texts[{series.rows.size(), cells.size()}] = text(cell);
        cells.emplace_back();
      } else {
        cells.push_back(perhaps_number(cell));
      }
    });
    if (cells.size() != series.columns.size())
      row.wrong("a row of " + std::to_string(series.columns.size()) + " cells");
    series.rows.push_back(std::move(cells));
  });
  return series;
}

sim::LinkUse read_link(const Cursor& at) {
  sim::LinkUse use;
  use.link = text_of(at, "link");
  use.bytes_B = number_of(at, "bytes_B");
  use.busy_fraction = number_of(at, "busy_fraction");
  if (has(at, "utilization")) use.utilization = number_of(at, "utilization");
  if (has(at, "bound_s")) use.bound_s = perhaps_number(member(at, "bound_s"));
  if (has(at, "peak_flows")) use.peak_flows = whole<std::int64_t>(member(at, "peak_flows"));
  return use;
}

void read_tables(const Cursor& run, sim::Result& result) {
  each_item(member(run, "memory"), [&](const Cursor& at) {
    result.memory.push_back(sim::MemoryEntry{text_of(at, "ranks"), text_of(at, "category"), number_of(at, "peak_B")});
  });
  each_item(member(run, "links"), [&](const Cursor& at) { result.links.push_back(read_link(at)); });
  if (has(run, "bottlenecks"))
    each_item(member(run, "bottlenecks"), [&](const Cursor& at) { result.bottlenecks.push_back(read_link(at)); });
  if (has(run, "rank_bytes"))
    each_item(member(run, "rank_bytes"), [&](const Cursor& at) {
      result.rank_bytes.push_back(sim::RankBytes{text_of(at, "ranks"), number_of(at, "sent_B"),
                                                 number_of(at, "received_B"), number_of(at, "lost_B"),
                                                 number_of(at, "retransmitted_B")});
    });
  const Cursor bytes = member(run, "bytes");
  result.bytes = {number_of(bytes, "sent_B"), number_of(bytes, "received_B"), number_of(bytes, "lost_B"),
                  number_of(bytes, "retransmitted_B")};
  each_item(member(run, "network"), [&](const Cursor& at) {
    result.network.push_back(sim::NetworkUse{text_of(at, "collective"), added_text(at, "algorithm"),
                                             text_of(at, "backend"), number_of(at, "share")});
  });
  const Cursor counts = member(run, "counts");
  result.events = whole<std::int64_t>(member(counts, "events"));
  result.flows = whole<std::int64_t>(member(counts, "flows"));
  each_item(member(run, "constants"), [&](const Cursor& at) {
    result.constants.push_back(sim::Constant{text_of(at, "name"), number_of(at, "value"), added_text(at, "unit"),
                                             text_of(at, "fitted_on"), text_of(at, "source")});
  });
  const Cursor plane = member(run, "plane");
  result.plane = {whole<std::int64_t>(member(plane, "full_parameters")),
                  whole<std::int64_t>(member(plane, "numeric_parameters")), text_of(plane, "scaling"),
                  added_text(plane, "axis")};
  each_item(member(run, "warnings"), [&](const Cursor& at) { result.warnings.push_back(text(at)); });
  each_item(member(run, "not_modelled"), [&](const Cursor& at) {
    result.not_modelled.push_back(
        sim::NotModelled{text_of(at, "effect"), text_of(at, "direction"), text_of(at, "size"), text_of(at, "source")});
  });
}

void read_spans(const Cursor& spans, sim::Result& result) {
  static std::set<std::string> interned;  // a span points at its name, as at a literal
  std::vector<const char*> names;
  each_item(member(spans, "names"),
            [&](const Cursor& at) { names.push_back(interned.insert(text(at)).first->c_str()); });
  each_item(member(spans, "rows"), [&](const Cursor& row) {
    if (!row.value->is_array() || row.value->size() != 5) row.wrong("[rank, lane, name, begin, end]");
    const auto cell = [&](std::size_t i) { return Cursor{&(*row.value)[i], row.file, &row, {}, i}; };
    const auto name = whole<std::size_t>(cell(2));
    if (name >= names.size()) cell(2).wrong("the index of a name");
    result.spans.push_back(sim::Span{whole<std::int32_t>(cell(0)), whole<std::int32_t>(cell(1)), names[name],
                                     number(cell(3)), number(cell(4))});
  });
}

sim::Run read_run(const Cursor& at) {
  sim::Run run;
  run.variant = text_of(at, "variant");
  each_member(member(at, "point"), [&](const std::string& key, const Cursor& value) {
    run.point.push_back(
        sim::PointValue{key, text_of(value, "text"), number_of(value, "value"), text_of(value, "unit")});
  });
  if (has(at, "seed")) run.seed = whole<std::uint64_t>(member(at, "seed"));
  run.result.status = named<sim::Status>(member(at, "status"), sim::status_names);
  run.result.status_detail = text_of(at, "status_detail");
  run.result.status_time_s = perhaps_number(member(at, "status_time_s"));
  read_metrics(at, run.result);
  each_member(member(at, "series"), [&](const std::string& name, const Cursor& series) {
    run.result.series.push_back(read_series(name, series));
  });
  read_tables(at, run.result);
  if (has(at, "spans")) read_spans(member(at, "spans"), run.result);
  return run;
}

sim::Reference read_reference(const Cursor& at) {
  sim::Reference reference;
  reference.metric = text_of(at, "metric");
  reference.variant = text_of(at, "variant");
  each_member(member(at, "at"),
              [&](const std::string& key, const Cursor& value) { reference.at.emplace_back(key, text(value)); });
  reference.value = perhaps_number(member(at, "value"));
  reference.value_text = text_of(at, "text");
  reference.tolerance = perhaps_number(member(at, "tolerance"));
  reference.kind = named<sim::Reference::Kind>(member(at, "kind"), reference_kind_names);
  reference.role = named<sim::Reference::Role>(member(at, "role"), reference_role_names);
  reference.certainty = named<sim::Reference::Certainty>(member(at, "certainty"), reference_certainty_names);
  reference.expect = text_of(at, "expect");
  reference.margin = number_of(at, "margin");
  reference.source = text_of(at, "source");
  reference.place = text_of(at, "place");
  return reference;
}

// Line and column of the byte where parsing stopped, and that line (cut: a result may be one long line).
models::Place place_of(std::string_view text, std::size_t byte, const std::string& file) {
  constexpr std::size_t widest = 160;
  const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const std::string_view before = text.substr(0, end);
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::string_view whole_line = text.substr(line_start, text.find('\n', line_start) - line_start);
  const std::size_t column = end - line_start + 1;
  const bool fits = whole_line.size() <= widest;
  return {file, static_cast<int>(line), static_cast<int>(column), fits ? std::string(whole_line) : std::string()};
}

Json parsed(std::string_view text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw models::Error(place_of(text, error.byte, file), "this is not JSON",
                        text.empty() ? "the file is empty" : "give a result.json that windtunnel wrote");
  } catch (const Json::out_of_range&) {
    throw models::Error(models::Place{file, 0, 0, ""}, "a number is too large for a double",
                        "give a result.json that windtunnel wrote");
  }
}

}  // namespace

sim::Run run_from_text(std::string_view text) {
  const std::string file = "run";
  const Json json = parsed(text, file);
  return read_run(Cursor{&json, &file});
}

Loaded read_result(std::string_view text_of_file, const std::string& file) {
  const Json json = parsed(text_of_file, file);
  const Cursor top{&json, &file};
  const auto schema = whole<std::int64_t>(member(top, "schema"));
  if (schema != 1)
    throw models::Error(models::Place{file, 0, 0, ""}, "schema " + std::to_string(schema) + " is not known",
                        "this program reads schema 1; run the scenario again");
  Loaded loaded;
  const Cursor scenario = member(top, "scenario");
  loaded.scenario.name = text_of(scenario, "name");
  loaded.scenario.file = text_of(scenario, "file");
  loaded.scenario.sha256 = text_of(scenario, "sha256");
  loaded.scenario.description = added_text(scenario, "description");
  loaded.scenario.source = added_text(scenario, "source");
  loaded.scenario.seed = whole<std::uint64_t>(member(top, "seed"));
  if (has(top, "reference"))
    each_item(member(top, "reference"),
              [&](const Cursor& at) { loaded.scenario.references.push_back(read_reference(at)); });
  each_item(member(top, "runs"), [&](const Cursor& at) { loaded.runs.push_back(read_run(at)); });
  return loaded;
}

}  // namespace analysis
