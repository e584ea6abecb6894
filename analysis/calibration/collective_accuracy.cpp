#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "analysis/calibration/collectives.hpp"

namespace analysis {
namespace {

CollectiveErrors errors_of(const LinkModels& links, const std::vector<const CollectiveRow*>& rows, double above,
                           double up_to) {
  std::vector<double> errors;
  CollectiveErrors result;
  for (const CollectiveRow* row : rows) {
    if (row->size.value <= above || row->size.value > up_to) continue;
    errors.push_back(std::abs(predicted(links.at(row->link), *row) / row->measured - 1.0));
    result.mean += errors.back();
  }
  result.rows = errors.size();
  if (errors.empty()) return result;
  result.mean /= static_cast<double>(errors.size());
  std::sort(errors.begin(), errors.end());
  result.p90 = errors[errors.size() * 9 / 10];
  return result;
}

CollectiveLine line_of(const LinkModels& links, const std::vector<const CollectiveRow*>& rows, int gpus) {
  const CollectiveRow& first = *rows.front();
  CollectiveLine line{first.set, first.link, first.kind, gpus, first.use, {}, {}};
  line.above_64_kib = errors_of(links, rows, 65536.0, size_classes[size_class_count - 1].up_to);
  for (std::size_t c = 0; c < size_class_count; ++c)
    line.by_class[c] = errors_of(links, rows, size_classes[c].above, size_classes[c].up_to);
  return line;
}

std::string cell(const CollectiveErrors& errors) {
  return errors.rows == 0 ? "-" : fmt::format("{:.1f} / {:.1f}", 100.0 * errors.mean, 100.0 * errors.p90);
}

}  // namespace

std::vector<CollectiveLine> collective_accuracies(const LinkModels& links, const std::vector<CollectiveRow>& rows) {
  std::map<std::tuple<std::string, std::string, int>, std::vector<const CollectiveRow*>> single;
  std::map<std::tuple<std::string, std::string>, std::vector<const CollectiveRow*>> held_out;
  for (const CollectiveRow& row : rows) {
    single[{row.set, row.kind, row.gpus}].push_back(&row);
    if (row.use == RowUse::held_out) held_out[{row.set, row.kind}].push_back(&row);
  }
  std::vector<CollectiveLine> lines;
  for (const auto& [key, of] : single) lines.push_back(line_of(links, of, std::get<2>(key)));
  for (const auto& [key, of] : held_out) lines.push_back(line_of(links, of, 0));
  return lines;
}

std::string collective_table(const std::vector<CollectiveLine>& lines) {
  std::string text = "| measured set | kind | GPUs | rows | in the fit | above 64 KiB |";
  for (const SizeClass& each : size_classes) text += fmt::format(" {} |", each.name);
  text += "\n|---|---|--:|--:|---|--:|";
  for (std::size_t c = 0; c < size_class_count; ++c) text += "--:|";
  text += '\n';
  for (const CollectiveLine& line : lines) {
    std::size_t rows = 0;
    for (const CollectiveErrors& errors : line.by_class) rows += errors.rows;
    text += fmt::format("| {} | {} | {} | {} | {} | {} |", line.set, line.kind,
                        line.gpus == 0 ? "all held out" : std::to_string(line.gpus), rows,
                        line.use == RowUse::fit ? "yes" : "held out", cell(line.above_64_kib));
    for (const CollectiveErrors& errors : line.by_class) text += fmt::format(" {} |", cell(errors));
    text += '\n';
  }
  return text;
}

}  // namespace analysis
