// Fits the protocols of link presets on measured collectives: fit_collectives DATA_FOLDER SPLIT.csv [--report | --rows]
// Prints the fitted keys of each link and the accuracy table; --report: only the table, of the presets as they are;
// --rows: also each row.
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "scenarios/calibration/links.hpp"
#include "scenarios/reader/yaml.hpp"

int main(int count, char** words) {
  try {
    if (count < 3) {
      fmt::print(stderr, "usage: fit_collectives DATA_FOLDER SPLIT.csv [--report | --rows]\n");
      return 2;
    }
    const std::string what = count > 3 ? words[3] : "";
    const auto rows = analysis::read_collectives(words[1], analysis::CollectiveSplit(scenarios::read_text(words[2])));
    analysis::LinkModels links = scenarios::preset_links(analysis::calibrated_links());
    if (what != "--report") {
      analysis::fit_links(links, rows);
      for (const auto& [name, link] : links) fmt::print("# {}\n{}\n", name, analysis::fitted_keys(link));
    }
    if (what == "--rows")
      for (const analysis::CollectiveRow& row : rows)
        fmt::print("{},{},{},{:.0f},{:.6g},{:.6g}\n", row.set, row.kind, row.gpus, row.size.value, row.measured.value,
                   analysis::predicted(links.at(row.link), row).value);
    fmt::print("{}", analysis::collective_table(analysis::collective_accuracies(links, rows)));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
