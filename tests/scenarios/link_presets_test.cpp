// Every link preset and every explicit graph of topologies/ reads, has what it must have, and builds.

#include <catch2/catch.hpp>

#include "scenarios/reader/scenario.hpp"
#include "tests/topologies/documents.hpp"
#include "topologies/builder/builder.hpp"

using namespace documents;

TEST_CASE("every link preset reads, with a bandwidth, a latency, a transport and a source", "[topologies]") {
  const std::vector<std::string> names = scenarios::presets().names("link");
  CHECK(names.size() >= 19);
  for (const std::string& name : names) {
    INFO(name);
    const models::Node node = mapping({{"link", name}});
    models::Diagnostics diagnostics;
    models::Params params(node, "", diagnostics, scenarios::presets());
    const topologies::LinkWish wish = topologies::read_link(params, "link", "");
    params.finish();
    for (const models::Diagnostic& diagnostic : diagnostics.all()) UNSCOPED_INFO(diagnostic.message);
    CHECK(diagnostics.empty());
    CHECK(wish.preset == name);
    CHECK(wish.bandwidth);
    CHECK(wish.latency);
    CHECK(wish.transport);
    CHECK_FALSE(wish.source.empty());
  }
}

TEST_CASE("an override of a link preset changes that key only", "[topologies]") {
  const models::Node node = mapping({{"link", mapping({{"preset", "ethernet_100g_tcp"}, {"bandwidth", "10 Gb/s"}})}});
  models::Diagnostics diagnostics;
  models::Params params(node, "", diagnostics, scenarios::presets());
  const topologies::LinkWish wish = topologies::read_link(params, "link", "");
  CHECK(wish.bandwidth->value == 1.25e9);
  CHECK(wish.transport->flow_ceiling->value == 3.3e9);
  CHECK(wish.transport->goodput == 0.9415);
}

TEST_CASE("every explicit graph reads and joins all its hosts", "[topologies]") {
  for (const std::string& name : scenarios::presets().names("topology")) {
    INFO(name);
    const models::Node node = mapping({{"shape", "file"}, {"graph", name}});
    models::Diagnostics diagnostics;
    models::Params params(node, "topology", diagnostics, scenarios::presets());
    const topologies::BuilderSpec spec = params.plugin_beside("shape", topologies::builders(), "");
    std::vector<topologies::LinkProperties> links;
    for (const topologies::LinkWish& wish : spec.links) links.push_back(topologies::completed(wish, {}, params));
    params.finish();
    for (const models::Diagnostic& diagnostic : diagnostics.all()) UNSCOPED_INFO(diagnostic.message);
    REQUIRE(diagnostics.empty());
    CHECK_FALSE(spec.build(links).fabric.unreachable_host());
  }
}

// Six links of 25 GB/s each way per GPU; GPUs 0 and 5 share no NVLink, so they meet over the CPUs.
TEST_CASE("a DGX-1 gives each V100 150 GB/s of NVLink and the CPUs to the rest", "[topologies]") {
  const models::Node node = mapping({{"shape", "file"}, {"graph", "dgx1_v100"}});
  models::Diagnostics diagnostics;
  models::Params params(node, "topology", diagnostics, scenarios::presets());
  const topologies::BuilderSpec spec = params.plugin_beside("shape", topologies::builders(), "");
  std::vector<topologies::LinkProperties> links;
  for (const topologies::LinkWish& wish : spec.links) links.push_back(topologies::completed(wish, {}, params));
  const topologies::Fabric fabric = spec.build(links).fabric;
  for (int gpu = 0; gpu < 8; ++gpu) {
    double nvlink = 0.0;
    for (int other = 0; other < 8; ++other) {
      if (other == gpu) continue;
      const topologies::Route route = fabric.route(gpu, other);
      if (route.links.size() == 1) nvlink += fabric.properties_of(route.links[0]).bandwidth.value;
    }
    CHECK(nvlink == 150e9);
  }
  CHECK(fabric.route(0, 3).links.size() == 1);
  CHECK(fabric.route(0, 5).links.size() == 5);
}
