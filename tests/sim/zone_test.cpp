#include "sim/engine/platform.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "models/base/random.hpp"
#include "tests/topologies/shapes.hpp"

using namespace sim;
using topologies::LinkId;

TEST_CASE("SimGrid's routes over our zone are the fabric's, on random pairs of a fat tree", "[engine]") {
  topologies::World world;
  topologies::Blueprint made =
      shapes::built({{"shape", "fat_tree"}, {"ports", 8}, {"oversubscription", 3}, {"link", shapes::cable()}});
  world.fabric = std::move(made.fabric);
  world.node = std::move(made.node);
  const Platform platform(world, WithLinks::yes);
  std::map<const simgrid::s4u::Link*, LinkId> id_of;
  for (LinkId id = 0; id < static_cast<LinkId>(world.fabric.links().size()); ++id) {
    id_of.emplace(platform.link(id), id);
    REQUIRE(platform.link(id)->get_bandwidth() == world.fabric.capacity(id).value);
  }
  models::Stream stream(7, models::Purpose::problem, 0, 0);
  const auto hosts = static_cast<std::uint64_t>(world.fabric.host_count());
  for (int pair = 0; pair < 500; ++pair) {
    const int from = static_cast<int>(stream.index(hosts)), to = static_cast<int>(stream.index(hosts));
    if (from == to) continue;
    std::vector<simgrid::s4u::Link*> links;
    double latency = 0.0;
    platform.host(from)->route_to(platform.host(to), links, &latency);
    std::vector<LinkId> ids;
    for (const simgrid::s4u::Link* link : links) ids.push_back(id_of.at(link));
    REQUIRE(ids == world.fabric.route(from, to).links);
    REQUIRE(latency == Platform::constant_latency().value);
  }
}

TEST_CASE("a ceiling is a private link at the end of the next routes", "[engine]") {
  topologies::World world;
  world.fabric = shapes::built({{"shape", "star"}, {"nodes", 3}, {"link", shapes::cable()}}).fabric;
  Platform platform(world, WithLinks::yes, 2);
  const auto links = [&] {
    std::vector<simgrid::s4u::Link*> all;
    double latency = 0.0;
    platform.host(0)->route_to(platform.host(1), all, &latency);
    return all;
  };
  platform.apply_ceiling(1, {2e8});
  REQUIRE(links().size() == 3);
  CHECK(links().back()->get_bandwidth() == 2e8);
  platform.release_ceiling();
  CHECK(links().size() == 2);
}

TEST_CASE("without links one host stands for all", "[engine]") {
  topologies::World world;
  world.fabric = shapes::built({{"shape", "star"}, {"nodes", 1000}, {"link", shapes::cable()}}).fabric;
  const Platform platform(world, WithLinks::no);
  CHECK(platform.host(0) == platform.host(999));
  CHECK(platform.engine().get_host_count() == 1);
  CHECK(platform.engine().get_link_count() <= 1);
}
