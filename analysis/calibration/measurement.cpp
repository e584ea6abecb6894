#include "analysis/calibration/measurement.hpp"

#include <algorithm>
#include <sstream>

namespace analysis {

HeldOut::HeldOut(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t comma = line.find(',');
    if (line.empty() || line.front() == '#' || comma == std::string::npos) continue;
    rows_.emplace_back(line.substr(0, comma), line.substr(comma + 1));
  }
}

Split HeldOut::of(const std::string& set, const std::string& size) const {
  const bool found = std::find(rows_.begin(), rows_.end(), std::pair(set, size)) != rows_.end();
  return found ? Split::held_out : Split::fitted;
}

std::vector<Measurement> read_measurements(const std::string& folder, const HeldOut& held_out) {
  std::vector<Measurement> all;
  read_aiconfigurator(folder, held_out, all);
  read_vtrain(folder, held_out, all);
  read_neusight(folder, held_out, all);
  read_nvidia_dle(folder, held_out, all);
  return all;
}

}  // namespace analysis
