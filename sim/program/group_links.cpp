#include "sim/program/group_links.hpp"

#include <optional>

namespace sim {

const models::Protocols& protocols_between(const models::Group& group, const topologies::Fabric& fabric) {
  static const models::Protocols none;
  std::optional<std::int32_t> kind;
  const auto n = static_cast<std::size_t>(group.size());
  if (n < 2) return none;
  for (std::size_t i = 0; i < n; ++i) {
    const topologies::Route route =
        fabric.route(static_cast<int>(group.ranks[i]), static_cast<int>(group.ranks[(i + 1) % n]));
    for (const topologies::LinkId link : route.links) {
      const std::int32_t properties = fabric.links()[static_cast<std::size_t>(link)].properties;
      if (properties != kind.value_or(properties)) return none;
      kind = properties;
      if (fabric.properties_of(link).protocols.all.empty()) return none;
    }
  }
  return kind ? fabric.properties()[static_cast<std::size_t>(*kind)].protocols : none;
}

void check_protocol(const std::string& protocol, const models::Group& group, const topologies::Fabric& fabric,
                    const models::Place& place) {
  try {
    models::check_protocol(protocols_between(group, fabric), protocol);
  } catch (const models::Error& error) {
    const models::Diagnostic& what = error.diagnostics().front();
    throw models::Error(place, what.message, what.hint);
  }
}

}  // namespace sim
