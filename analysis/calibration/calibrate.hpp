#pragma once
// The calibration: which device is fitted on what, in which order; and its accuracy report.

#include <map>
#include <string>
#include <vector>

#include "analysis/calibration/fit.hpp"

namespace analysis {

using Devices = std::map<std::string, models::Device>;  // by preset name

// Presets that some stage fits or that measured rows belong to.
std::vector<std::string> calibrated_devices();
// Runs all stages. Devices that no data cover take over from the nearest fitted one.
void calibrate(Devices& devices, const std::vector<Measurement>& rows);

// One line of the report: a set on a device. `unused`: no stage of the fit reads the set on this device.
enum class Use { fitted, held_out, unused };
struct Line {
  std::string set, device;
  Use use = Use::fitted;
  Accuracy accuracy;
};
std::vector<Line> accuracies(const Devices& devices, const std::vector<Measurement>& rows);
std::string accuracy_table(const std::vector<Line>& lines);  // Markdown
// The fitted keys of a device, as its data file has them.
std::string fitted_keys(const models::Device& device);

}  // namespace analysis
