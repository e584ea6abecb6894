// Fits the device presets on measured data: fit_cost_model DATA_FOLDER HELD_OUT.csv [--report | --rows]
// Prints the fitted keys of each device and the accuracy table; --report: only the table, of the presets as they are;
// --rows: also each row.
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "analysis/calibration/calibrate.hpp"
#include "scenarios/calibration/devices.hpp"
#include "scenarios/reader/yaml.hpp"

int main(int count, char** words) {
  try {
    if (count < 3) {
      fmt::print(stderr, "usage: fit_cost_model DATA_FOLDER HELD_OUT.csv [--report | --rows]\n");
      return 2;
    }
    const analysis::HeldOut held_out(scenarios::read_text(words[2]));
    const auto rows = analysis::read_measurements(words[1], held_out);
    analysis::Devices devices = scenarios::preset_devices(analysis::calibrated_devices());
    const bool report_only = count > 3 && std::string(words[3]) == "--report";
    if (!report_only) {
      analysis::calibrate(devices, rows);
      for (const auto& [name, device] : devices) fmt::print("# {}\n{}\n", name, analysis::fitted_keys(device));
    }
    if (count > 3 && std::string(words[3]) == "--rows")
      for (const analysis::Measurement& row : rows)
        fmt::print("{},{},{:.6g},{:.6g}\n", row.set, row.device, row.measured.value,
                   row.predicted(devices.at(row.device)).value);
    fmt::print("{}", analysis::accuracy_table(analysis::accuracies(devices, rows)));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
