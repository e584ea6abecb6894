#include <algorithm>

#include <fmt/format.h>

#include "analysis/report/report.hpp"
#include "scenarios/reader/readers.hpp"
#include "scenarios/reader/sweep.hpp"

namespace scenarios {
namespace {

using models::Node;
using models::NodeKind;
using models::Params;

std::vector<std::string> read_outputs(Params& top) {
  std::vector<std::string> all{"text", "json", "csv", "html"};
  const Node* outputs = top.raw("outputs", "list of text", "reports to write; default: text, json, csv, html");
  if (!outputs) return all;
  if (outputs->kind != NodeKind::sequence) {
    top.report("outputs", "'outputs' must be a list", "outputs: [text, json, csv, html]");
    return all;
  }
  all.clear();
  std::vector<std::string> known;
  for (const analysis::ReportRow& row : analysis::reports()) known.emplace_back(row.name);
  if (outputs->items.empty())
    top.report("outputs", "'outputs' is empty: nothing would be written", "outputs: [text, json, csv, html]");
  for (const Node& item : outputs->items) {
    if (item.kind == NodeKind::scalar && std::find(known.begin(), known.end(), item.text) != known.end()) {
      if (std::find(all.begin(), all.end(), item.text) == all.end()) all.push_back(item.text);
      continue;
    }
    top.report_at(item.place, fmt::format("output '{}' is not known", item.text), models::known_hint(item.text, known));
  }
  return all;
}

void read_at(Params& row, sim::Reference& reference) {
  const Node* at = row.raw("at", "section", "the point it belongs to: variant and swept keys with their values");
  if (!at || at->kind == NodeKind::null) return;
  if (at->kind != NodeKind::mapping) {
    row.report("at", "'at' must be a mapping", "at: {variant: adam, training.batch.micro: 16}");
    return;
  }
  for (const models::Entry& entry : at->entries) {
    if (entry.key == "variant")
      reference.variant = entry.value.text;
    else
      reference.at.emplace_back(entry.key, point_value(entry.key, entry.value).text);
  }
}

sim::Reference read_reference(Params& row) {
  constexpr std::string_view kinds[] = {"value", "ratio", "order", "shape"};
  constexpr std::string_view roles[] = {"predicted", "fitted", "input"};
  constexpr std::string_view certainties[] = {"read", "chart", "recalled", "inferred"};
  sim::Reference reference;
  reference.metric = row.text("metric", "name of a metric of the result, such as step_time_s", "");
  read_at(row, reference);
  reference.value_text = row.text("value", "the published number, with its unit", "");
  if (row.has("tolerance"))
    reference.tolerance =
        row.fraction("tolerance", models::not_negative, "relative; left out: printed beside the result, never judged");
  reference.kind = static_cast<sim::Reference::Kind>(row.choice("kind", kinds, "what is compared", 0));
  reference.role = static_cast<sim::Reference::Role>(
      row.choice("role", roles, "predicted rows count, fitted and input rows do not", 0));
  reference.certainty = static_cast<sim::Reference::Certainty>(
      row.choice("certainty", certainties, "how the number was obtained; recalled rows never fail", 0));
  reference.expect =
      row.text("expect", "kind order: SIDE > SIDE, a side is METRIC@VARIANT or METRIC@VARIANT[KEY=VALUE]", "");
  reference.margin = row.fraction("margin", models::not_negative, "kind order: how much larger, relative", 0.0);
  reference.source = row.text("source", "paper, table or figure");
  reference.place = fmt::format("{}:{}", row.place().file, row.place().line);
  if (row.describing()) return reference;

  const bool order = reference.kind == sim::Reference::Kind::order;
  if (order) {
    if (reference.expect.find_first_of("<>") == std::string::npos)
      row.report(
          "expect",
          row.has("expect") ? "'expect' has neither '<' nor '>'" : "'expect' is missing in a reference of kind order",
          "expect: \"step_time_s@adam > step_time_s@onebit_adam\"");
    return reference;
  }
  if (reference.metric.empty()) row.report("metric", "'metric' is missing in a reference", "metric: step_time_s");
  Node node;
  node.kind = NodeKind::scalar;
  node.text = reference.value_text;
  const sim::PointValue value = point_value("value", node);
  if (!value.unit.empty() || models::read_fraction(reference.value_text))
    reference.value = value.value;
  else
    row.report("value",
               row.has("value") ? fmt::format("'{}' is not an amount", reference.value_text)
                                : "'value' is missing in a reference",
               "value: 2.27543 s");
  return reference;
}

}  // namespace

bool is_header_key(std::string_view key) {
  return std::find(std::begin(header_keys), std::end(header_keys), key) != std::end(header_keys);
}
bool is_point_key(std::string_view key) {
  return std::find(std::begin(point_keys), std::end(point_keys), key) != std::end(point_keys);
}
bool is_later_key(std::string_view key) {
  return std::find(std::begin(later_keys), std::end(later_keys), key) != std::end(later_keys);
}

const models::Entry* entry_of(const Node& mapping, std::string_view key) {
  for (const models::Entry& entry : mapping.entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

std::vector<sim::Reference> read_references(Params& top) {
  std::vector<sim::Reference> all;
  for (Params& row : top.list("reference", "published numbers that `verify` compares with"))
    all.push_back(read_reference(row));
  return all;
}

Header read_header(Params& top) {
  constexpr double seeds = 281474976710655.0;  // 2^48 - 1: what a random stream takes
  Header header;
  header.name = top.text("name", "what the scenario shows, in a few words", "");
  header.description = top.text("description", "longer text for the report", "");
  header.source = top.text("source", "the paper and figure it follows, if any", "");
  header.seed = static_cast<std::uint64_t>(top.count("seed", {0.0, seeds}, "every random stream derives from it", 1));
  header.repeats =
      top.count("repeats", {1.0, 10'000.0}, "runs with seeds seed, seed + 1, ...; metrics get mean, min and max", 1);
  top.raw("variants", "section", "NAME: {KEY.PATH: value}; all run, side by side in one result");
  top.raw(
      "sweep", "section",
      "KEY.PATH: [values] or {from, to, steps, scale: linear or log}: a grid; or a list of mappings, each one point");
  header.references = read_references(top);
  header.outputs = read_outputs(top);
  return header;
}

sim::Status read_expected(Params& top) {
  std::optional<Params> expect = top.optional_section("expect", "how runs should end; a variant may differ");
  if (!expect) return sim::Status::completed;
  std::vector<std::string_view> names;
  for (const char* name : sim::status_names) names.emplace_back(name);
  return static_cast<sim::Status>(expect->choice("status", names, "status of the run", 0));
}

}  // namespace scenarios
