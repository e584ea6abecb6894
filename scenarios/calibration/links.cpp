#include "scenarios/calibration/links.hpp"

#include "models/base/params.hpp"
#include "scenarios/reader/scenario.hpp"
#include "topologies/link/link.hpp"

namespace scenarios {
namespace {

analysis::LinkModel preset_link(const std::string& name) {
  models::Node owner, value;
  owner.kind = models::NodeKind::mapping;
  value.kind = models::NodeKind::scalar;
  value.text = name;
  owner.entries.push_back({"link", {}, value});
  models::Diagnostics diagnostics;
  models::Params params(owner, "calibration", diagnostics, presets());
  const topologies::LinkProperties link = topologies::completed(topologies::read_link(params, "link", ""), {}, params);
  params.finish();
  diagnostics.throw_if_any();
  return {link.bandwidth, link.transport.goodput, link.latency, link.protocols};
}

}  // namespace

analysis::LinkModels preset_links(const std::vector<std::string>& names) {
  analysis::LinkModels links;
  for (const std::string& name : names) links.emplace(name, preset_link(name));
  return links;
}

}  // namespace scenarios
