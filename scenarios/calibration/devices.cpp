#include "scenarios/calibration/devices.hpp"

#include "models/base/params.hpp"
#include "scenarios/reader/scenario.hpp"

namespace scenarios {
namespace {

template <class Read>
auto read_preset(const char* kind, const std::string& name, const Read& read) {
  const models::Node* node = presets().find(kind, name);
  if (node == nullptr) throw models::Error(models::Place{}, std::string(kind) + " '" + name + "' is not known");
  models::Diagnostics diagnostics;
  models::Params params(*node, name, diagnostics, presets());
  auto result = read(params);
  params.finish();
  diagnostics.throw_if_any();
  return result;
}

}  // namespace

models::Device preset_device(const std::string& name) { return read_preset("device", name, models::read_device); }

analysis::Devices preset_devices(const std::vector<std::string>& names) {
  analysis::Devices devices;
  for (const std::string& name : names) devices.emplace(name, preset_device(name));
  return devices;
}

std::unique_ptr<const models::Architecture> preset_architecture(const std::string& name) {
  return read_preset("architecture", name, models::read_architecture);
}

}  // namespace scenarios
