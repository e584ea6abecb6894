// 2^d hosts; a cable joins two whose numbers differ in one bit. Routes correct one bit after the other (e-cube:
// Sullivan and Bashkow, A large scale homogeneous fully distributed parallel machine, ISCA 1977). A torus of d
// dimensions of size 2.

#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

BuilderSpec read_hypercube(models::Params& params) {
  constexpr double most_dimensions = 20.0;  // 2^20 hosts
  const auto dimensions =
      static_cast<std::size_t>(params.count("dimensions", {1.0, most_dimensions}, "d of 2^d hosts; each has d cables"));
  LinkWish link = read_link(params, "link", "the cable between neighbours");
  std::vector<int> node = read_grouping(params, 1 << dimensions);
  BuilderSpec spec = torus_of(std::vector<int>(dimensions, 2), std::move(link), std::move(node), read_routing(params));
  spec.description = "hypercube of " + std::to_string(spec.hosts);
  return spec;
}

}  // namespace topologies
