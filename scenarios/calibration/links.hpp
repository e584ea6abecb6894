#pragma once
// Link presets for the calibration of collectives.

#include <string>
#include <vector>

#include "analysis/calibration/collectives.hpp"

namespace scenarios {

analysis::LinkModels preset_links(const std::vector<std::string>& names);

}  // namespace scenarios
