#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/report/report.hpp"
#include "models/algorithm/algorithm.hpp"
#include "models/collective/collective.hpp"
#include "models/compression/compressor.hpp"
#include "models/device/cost_model.hpp"
#include "models/exchange/exchange.hpp"
#include "models/objective/objective.hpp"
#include "models/optimizer/optimizer.hpp"
#include "scenarios/app/catalogue.hpp"
#include "scenarios/reader/scenario.hpp"
#include "topologies/builder/builder.hpp"
#include "topologies/congestion/congestion.hpp"
#include "topologies/transport/transport.hpp"

namespace scenarios {

namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;  // name, one line

template <class T>
Lines rows_of(const models::Table<T>& table) {
  Lines lines;
  for (const models::Row<T>& row : table.rows()) lines.emplace_back(row.name, row.help);
  return lines;
}

std::string first_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::size_t most = 150;
  if (text.size() > most) text = text.substr(0, text.rfind(' ', most)) + " ...";
  return text;
}

Lines presets_of(std::string_view kind) {
  Lines lines;
  for (const std::string& name : presets().names(kind)) {
    std::string line;
    if (const models::Node* preset = presets().find(kind, name)) {
      for (const models::Entry& entry : preset->entries)
        if (entry.key == "source") line = first_line(entry.value.text);
    }
    lines.emplace_back(name, std::move(line));
  }
  return lines;
}

Lines report_lines() {
  Lines lines;
  for (const analysis::ReportRow& row : analysis::reports()) lines.emplace_back(row.name, row.help);
  return lines;
}

struct Kind {
  const char* name;
  std::function<Lines()> lines;
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"algorithm", [] { return rows_of(models::algorithms()); }},
      {"optimizer", [] { return rows_of(models::optimizers()); }},
      {"compressor", [] { return rows_of(models::compressors()); }},
      {"exchange", [] { return rows_of(models::exchanges()); }},
      {"objective", [] { return rows_of(models::objectives()); }},
      {"collective", [] { return rows_of(models::collectives()); }},
      {"topology", [] { return rows_of(topologies::builders()); }},
      {"transport", [] { return rows_of(topologies::transports()); }},
      {"congestion_control", [] { return rows_of(topologies::congestion_controls()); }},
      {"cost_model", [] { return rows_of(models::cost_models()); }},
      {"output", [] { return report_lines(); }},
      {"model", [] { return presets_of("architecture"); }},
      {"device", [] { return presets_of("device"); }},
      {"link", [] { return presets_of("link"); }},
  };
  return all;
}

std::string block(const Kind& kind) {
  std::string text = fmt::format("{}\n", kind.name);
  const Lines lines = kind.lines();
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.first.size());
  for (const auto& line : lines) text += fmt::format("  {:<{}}  {}\n", line.first, width, line.second);
  return text;
}

}  // namespace

std::string listing(const std::optional<std::string>& kind) {
  std::string text;
  std::vector<std::string> names;
  for (const Kind& one : kinds()) {
    names.emplace_back(one.name);
    if (!kind)
      text += (text.empty() ? "" : "\n") + block(one);
    else if (*kind == one.name || *kind == names.back() + "s")
      return block(one);
  }
  if (kind) {
    const std::vector<std::string> near = models::nearest(*kind, names);
    throw models::Error({}, fmt::format("kind '{}' is not known", *kind),
                        fmt::format("{}known: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near.front()),
                                    fmt::join(names, ", ")));
  }
  return text;
}

}  // namespace scenarios
