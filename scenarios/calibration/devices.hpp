#pragma once
// Device presets by name, as their data files have them.

#include <memory>
#include <string>
#include <vector>

#include "analysis/calibration/calibrate.hpp"
#include "models/architecture/step_plan.hpp"

namespace scenarios {

// Throws models::Error when a preset is unknown or does not read.
models::Device preset_device(const std::string& name);
analysis::Devices preset_devices(const std::vector<std::string>& names);
std::unique_ptr<const models::Architecture> preset_architecture(const std::string& name);

}  // namespace scenarios
