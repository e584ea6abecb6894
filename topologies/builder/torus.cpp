// Hosts on a grid whose edges wrap round. Routes correct one dimension after the other, the shorter way; half-way
// round, even coordinates go up and odd ones down; a hash may choose both instead. Dally and Seitz, Deadlock-free
// message routing in multiprocessor interconnection networks, IEEE ToC 1987 (dimension order).

#include <cmath>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

namespace {

// Along one dimension; a size of 2 has one cable per pair, not two.
struct Dimension {
  std::int64_t size = 1, stride = 1;
  CableRun cables;
  std::int64_t coordinate(std::int64_t host) const { return host / stride % size; }
  std::int64_t moved(std::int64_t host, std::int64_t coordinate_to) const {
    return host + (coordinate_to - coordinate(host)) * stride;
  }
  // The cable from `host` up.
  std::int64_t cable(std::int64_t host) const {
    return size == 2 ? host / (2 * stride) * stride + host % stride : host;
  }
};

void lay(Fabric& fabric, Dimension& dimension, std::int32_t properties, Duplex duplex) {
  dimension.cables = CableRun::next(fabric, duplex);
  if (dimension.size == 1) return;
  for (int host = 0; host < fabric.host_count(); ++host) {
    const std::int64_t here = dimension.coordinate(host);
    if (dimension.size == 2 && here == 1) continue;
    const std::int64_t up = dimension.moved(host, (here + 1) % dimension.size);
    fabric.connect(fabric.host(host), fabric.host(static_cast<int>(up)), properties);
  }
}

// Which of two equally long ways round.
enum class Half : std::int64_t { up, down };

// Appends the way along one dimension; gives the host where it ends.
std::int64_t walk(const Dimension& dimension, std::int64_t host, std::int64_t goal, Half half,
                  std::vector<LinkId>& route) {
  const std::int64_t size = dimension.size;
  std::int64_t here = dimension.coordinate(host);
  const std::int64_t up = ((goal - here) % size + size) % size;
  const bool goes_up = 2 * up < size || (2 * up == size && half == Half::up);
  for (std::int64_t left = goes_up ? up : size - up; left > 0; --left) {
    const std::int64_t next = goes_up ? (here + 1) % size : (here + size - 1) % size;
    const std::int64_t beyond = dimension.moved(host, next);
    route.push_back(goes_up ? dimension.cables.there(dimension.cable(host))
                            : dimension.cables.back(dimension.cable(beyond)));
    host = beyond;
    here = next;
  }
  return host;
}

// Places of the dimensions in the order a route corrects them: as laid, or shuffled (Fisher and Yates) by the hash.
std::vector<std::size_t> order(const Spread& spread, std::size_t count, int from, int to) {
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = i;
  for (std::size_t i = count; spread.hashed() && i > 1; --i) {
    const auto stage = static_cast<std::uint32_t>(i);
    std::swap(places[i - 1],
              places[static_cast<std::size_t>(spread.pick(from, to, stage, static_cast<std::int64_t>(i), 0))]);
  }
  return places;
}

}  // namespace

BuilderSpec torus_of(std::vector<int> sizes, LinkWish link, std::vector<int> node, Spread spread) {
  BuilderSpec spec;
  spec.hosts = 1;
  for (const int size : sizes) {
    spec.description += (spec.description.empty() ? "" : " x ") + std::to_string(size);
    spec.hosts *= size;
  }
  spec.nodes = node_count(node);
  spec.key = "torus " + spec.description + '/' + std::to_string(spec.nodes) + spread.key();
  spec.description += " torus";
  spec.links = {std::move(link)};
  spec.links[0].used = spec.hosts > 1;
  spec.build = [hosts = spec.hosts, sizes = std::move(sizes), spread,
                node = std::move(node)](std::span<const LinkProperties> links) {
    Blueprint made;
    made.node = node;
    for (int host = 0; host < hosts; ++host) made.fabric.add_host("host" + std::to_string(host));
    if (hosts == 1) return made;
    const std::int32_t properties = made.fabric.add_properties(links[0]);
    std::vector<Dimension> dimensions;
    std::int64_t stride = 1;
    for (auto size = sizes.rbegin(); size != sizes.rend(); stride *= *size, ++size) {
      dimensions.push_back({*size, stride, {}});
      lay(made.fabric, dimensions.back(), properties, links[0].duplex);
    }
    made.fabric.set_route_rule([dimensions, spread](int from, int to, std::vector<LinkId>& route) {
      std::int64_t here = from;
      for (const std::size_t place : order(spread, dimensions.size(), from, to)) {
        const Dimension& dimension = dimensions[place];
        const auto stage = static_cast<std::uint32_t>(dimensions.size() + 1 + place);
        const std::int64_t half_ways = dimension.size == 2 ? 1 : 2;  // of two hosts there is one cable
        const auto half = static_cast<Half>(spread.pick(from, to, stage, half_ways, dimension.coordinate(here) % 2));
        here = walk(dimension, here, dimension.coordinate(to), half, route);
      }
      models::ensure(here == to, "a torus route ends at its host");
    });
    return made;
  };
  return spec;
}

BuilderSpec read_torus(models::Params& params) {
  std::vector<int> sizes;
  double product = 1.0;
  for (const double size :
       params.numbers("sizes", {1.0, most_hosts}, "hosts along each dimension, two or three of them: [4, 4, 8]")) {
    if (size != std::floor(size)) params.report("sizes", "a size of a torus is a whole number");
    sizes.push_back(static_cast<int>(size));
    product *= size;
  }
  LinkWish link = read_link(params, "link", "the cable between neighbours");
  if (product > most_hosts) {
    params.report("sizes", "the torus has more than 1048576 hosts");
    sizes = {1};
  }
  int hosts = 1;
  for (const int size : sizes) hosts *= size;
  std::vector<int> node = read_grouping(params, hosts);
  return torus_of(std::move(sizes), std::move(link), std::move(node), read_routing(params));
}

}  // namespace topologies
