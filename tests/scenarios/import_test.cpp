// Imported graphs: what the formats say becomes hosts, switches and cables; broken and hostile files are refused.

#include "scenarios/reader/import.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>

#include "models/base/error.hpp"
#include "scenarios/reader/scenario.hpp"
#include "scenarios/reader/yaml.hpp"
#include "topologies/fabric/world.hpp"

namespace {

using models::Node;
using models::NodeKind;

topologies::World world_of(Node graph) {
  Node root = scenarios::parse_yaml("topology: {shape: file}\ngpu: a100_sxm4_80gb\n", "test");
  root.entries[0].value.entries.push_back({"graph", {}, std::move(graph)});
  models::Diagnostics diagnostics;
  models::Params params(root, "", diagnostics, scenarios::presets());
  const topologies::Cluster cluster = topologies::read_cluster(params);
  params.finish();
  diagnostics.throw_if_any();
  return topologies::build(cluster);
}

std::string refusal(const std::string& text) {
  try {
    scenarios::graph_of_xml(text, "bad.xml");
  } catch (const models::Error& error) {
    return error.what();
  }
  return "accepted";
}

// Nothing, said so, where the data folder is not at hand.
std::optional<topologies::World> shared(const std::string& name) {
  const std::string path = std::string(SOURCE_DIR) + "/../shared/data/topology/" + name;
  const std::string outside = std::string(SOURCE_DIR) + "/../../shared/data/topology/" + name;  // a worktree
  const std::string& found = std::filesystem::exists(path) ? path : outside;
  if (!std::filesystem::exists(found)) {
    std::cout << "skipped: " << path << " is not there\n";
    return std::nullopt;
  }
  const std::string text = scenarios::read_text(found);
  const bool xml = name.find(".xml") != std::string::npos;
  return world_of(xml ? scenarios::graph_of_xml(text, name)
                      : scenarios::graph_of_astra(scenarios::parse_yaml(text, name), name));
}

std::vector<std::string> names(const topologies::Fabric& fabric, int from, int to) {
  std::vector<std::string> all;
  for (const topologies::LinkId link : fabric.route(from, to).links) all.push_back(fabric.link_name(link));
  return all;
}

}  // namespace

TEST_CASE("an NCCL topology becomes GPUs, PCIe switches and sockets", "[scenarios]") {
  const topologies::World world = world_of(scenarios::graph_of_xml(R"(<system version="1">
  <cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0:1" class="0x060400" link_speed="8 GT/s" link_width="16">
      <pci busid="0:2" link_speed="8 GT/s" link_width="16"><gpu dev="0" sm="70"><nvlink target="0:3" count="2"/></gpu></pci>
      <pci busid="0:3" link_speed="8 GT/s" link_width="16"><gpu dev="1" sm="70"><nvlink target="0:2" count="2"/></gpu></pci>
      <pci busid="0:4" link_speed="8 GT/s" link_width="16"><nic><net name="mlx5_0" dev="0" speed="100000"/></nic></pci>
    </pci>
  </cpu>
  <cpu numaid="1" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="1:2" link_speed="" link_width="0"><gpu dev="2" sm="70"/></pci>
  </cpu>
</system>)",
                                                                   "small.xml"));
  CHECK(world.fabric.host_count() == 3);
  CHECK(world.node == std::vector<int>{0, 0, 0});
  CHECK(names(world.fabric, 0, 1) == std::vector<std::string>{"gpu0 -> gpu1 (link)"});
  CHECK(names(world.fabric, 0, 2) == std::vector<std::string>{"gpu0 -> pci@0:1 (link)", "pci@0:1 -> cpu0 (link)",
                                                              "cpu0 -> cpu1 (link)", "cpu1 -> gpu2 (link)"});
  const auto bandwidth = [&](int from, int to, std::size_t i) {
    return world.fabric.properties_of(world.fabric.route(from, to).links[i]).bandwidth.value;
  };
  CHECK(bandwidth(0, 1, 0) == Approx(50e9));                  // two NVLink 2
  CHECK(bandwidth(0, 2, 0) == Approx(16e9 * 128.0 / 130.0));  // 8 GT/s x 16
  CHECK(bandwidth(0, 2, 3) == Approx(16e9 * 128.0 / 130.0));  // hidden: generation 3, 16 lanes
  CHECK(bandwidth(0, 2, 2) == Approx(10e9));                  // Skylake's UPI as NCCL plans it
  REQUIRE(world.not_modelled.size() == 1);
  CHECK(world.not_modelled[0].effect == "the graph leaves out: NICs and the machines beyond them");
}

TEST_CASE("the shared NCCL and RCCL topologies join all their GPUs", "[scenarios]") {
  for (const auto& [name, gpus] :
       {std::pair{"azure_ndv2-topo.xml", 8}, std::pair{"azure_ndv4-topo.xml", 8}, std::pair{"azure_ncv4-topo.xml", 4},
        std::pair{"rccl_topo_4p2h.xml", 8}, std::pair{"rccl_topo_8p6l.xml", 8}, std::pair{"rccl_topo_8p_90a.xml", 8},
        std::pair{"rccl_topo_8p_940.xml", 8}, std::pair{"rccl_topo_8p_pcie.xml", 8}}) {
    INFO(name);
    const auto world = shared(name);
    if (!world) return;
    CHECK(world->fabric.host_count() == gpus);
  }
}

TEST_CASE("a SimGrid platform becomes one graph", "[scenarios]") {
  const topologies::World world = world_of(scenarios::graph_of_xml(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="c" prefix="n" suffix=".x" radical="0-2,7" speed="1Gf" bw="125MBps" lat="50us" bb_bw="2.25GBps" bb_lat="500us"/>
    <zone id="z" routing="Full">
      <host id="alone" speed="1Gf"/>
    </zone>
    <link id="long" bandwidth="1Gbps" latency="10ms" sharing_policy="SPLITDUPLEX"/>
    <link id="short" bandwidth="10Gbps" latency="1ms"/>
    <zoneRoute src="c" dst="z" gw_src="nc_router.x" gw_dst="alone"><link_ctn id="long"/><link_ctn id="short"/></zoneRoute>
  </zone>
</platform>)",
                                                                   "small.xml"));
  CHECK(world.fabric.host_count() == 5);
  CHECK(world.fabric.route(0, 3).latency.value == Approx(100e-6));
  CHECK(world.fabric.route(0, 4).latency.value == Approx(50e-6 + 500e-6 + 10e-3 + 1e-3));
  CHECK(world.fabric.route(0, 4).links.size() == 4);
  CHECK(world.fabric.properties_of(world.fabric.route(0, 4).links[2]).bandwidth.value == Approx(125e6));
}

// Bordeaux: bordeplage and borderline reach bordereau over their own link and its link, meeting at one place.
TEST_CASE("links that SimGrid routes share stay shared", "[scenarios]") {
  const char* text = R"(<platform version="4.1"><zone id="all" routing="Full">
    <host id="a"/><host id="b"/><host id="c"/>
    <link id="la" bandwidth="1MBps" latency="1ms"/><link id="lb" bandwidth="2MBps" latency="2ms"/><link id="lc" bandwidth="3MBps" latency="4ms"/>
    <route src="a" dst="b"><link_ctn id="la"/><link_ctn id="lb"/></route>
    <route src="c" dst="b"><link_ctn id="lc"/><link_ctn id="lb"/></route>
    <route src="c" dst="a"><link_ctn id="lc"/><link_ctn id="la"/></route>
  </zone></platform>)";
  const topologies::World world = world_of(scenarios::graph_of_xml(text, "shared.xml"));
  CHECK(world.fabric.links().size() == 3);  // half duplex: one each
  CHECK(world.fabric.route(0, 1).latency.value == Approx(3e-3));
  CHECK(world.fabric.route(2, 1).latency.value == Approx(6e-3));
  CHECK(world.fabric.route(2, 0).latency.value == Approx(5e-3));
  CHECK(world.fabric.route(0, 1).links[1] == world.fabric.route(2, 1).links[1]);
}

TEST_CASE("the shared SimGrid platforms join all their hosts", "[scenarios]") {
  if (const auto griffon = shared("simgrid_griffon.xml")) {
    CHECK(griffon->fabric.host_count() == 92);
    CHECK(griffon->fabric.route(0, 1).latency.value == Approx(48e-6));
    CHECK(griffon->fabric.route(0, 60).latency.value == Approx(48e-6 + 24e-6));  // the backbone between cabinets
  }
  if (const auto grid5000 = shared("simgrid_g5k.xml")) CHECK(grid5000->fabric.host_count() > 1000);
}

TEST_CASE("the shared ASTRA-sim networks have their shapes", "[scenarios]") {
  if (const auto ring = shared("astra_Ring_8npus.yml")) {
    CHECK(ring->fabric.host_count() == 8);
    CHECK(ring->fabric.route(0, 4).links.size() == 4);
    CHECK(ring->fabric.route(0, 1).latency.value == Approx(500e-9));
    CHECK(ring->fabric.capacity(0).value == Approx(50e9));
  }
  if (const auto hgx = shared("astra_HGX-H100-validated.yml")) {
    CHECK(hgx->fabric.host_count() == 8);
    CHECK(hgx->fabric.route(0, 5).links.size() == 2);
    CHECK(hgx->fabric.capacity(0).value == Approx(400e9));
  }
}

TEST_CASE("an ASTRA-sim network of two dimensions groups its first into nodes", "[scenarios]") {
  const Node network = scenarios::parse_yaml(
      "topology: [ FullyConnected, Ring ]\nnpus_count: [ 4, 3 ]\nbandwidth: [ 200, 50 ]\nlatency: [ 100, 500 ]\n",
      "two.yml");
  const topologies::World world = world_of(scenarios::graph_of_astra(network, "two.yml"));
  CHECK(world.fabric.host_count() == 12);
  CHECK(world.node == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(world.fabric.route(0, 3).latency.value == Approx(100e-9));
  CHECK(world.fabric.route(0, 8).latency.value == Approx(500e-9));
  CHECK(world.fabric.route(0, 9).latency.value == Approx(600e-9));
}

TEST_CASE("broken imports name the file and line", "[scenarios]") {
  CHECK(refusal("<system>\n  <cpu>\n</system>").find("bad.xml:3:") == 0);
  CHECK(refusal("<graphs/>").find("bad.xml:1:2: error: <graphs> is no topology") == 0);
  CHECK(refusal("<system/>").find("error: the system has no <cpu>") != std::string::npos);
  CHECK(refusal("<system><cpu>\n<pci busid='1'><gpu dev='0'>\n<nvlink target='2'/></gpu></pci></cpu></system>")
            .find("bad.xml:3:2: error: no GPU has the bus id '2'") == 0);
  CHECK(refusal("<platform>\n<peer id='p'/></platform>").find("bad.xml:2:2: error: <peer> of SimGrid's platforms") ==
        0);
  CHECK(
      refusal("<platform><host id='a'/>\n<link id='l' bandwidth='1 parsec'/></platform>").find("bad.xml:2:2: error:") ==
      0);
  CHECK(refusal("<platform><host id='a'/>\n<route src='a' dst='b'/></platform>")
            .find("'b' is neither a host nor a router of the platform") != std::string::npos);
  const auto astra = [](const char* text) {
    try {
      scenarios::graph_of_astra(scenarios::parse_yaml(text, "bad.yml"), "bad.yml");
    } catch (const models::Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(astra("{\"scheduling-policy\": LIFO}").find("bad.yml:1:1: error: this is no network file of ASTRA-sim") == 0);
  CHECK(astra("topology: [Mesh]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [1]\n")
            .find("bad.yml:1:12: error: building block 'Mesh' is not known") == 0);
  CHECK(astra("topology: [Ring]\nnpus_count: [4, 2]\nbandwidth: [1]\nlatency: [1]\n").find("differ in length") !=
        std::string::npos);
  CHECK(refusal("").find("bad.xml:1:1: error:") == 0);
}

TEST_CASE("hostile XML is refused in milliseconds", "[scenarios]") {
  const std::clock_t start = std::clock();
  std::string deep, many = "<platform>", long_range;
  for (int i = 0; i < 100'000; ++i) deep += "<zone>";
  for (int i = 0; i < 60'000; ++i) many += "<prop/>";
  CHECK(refusal(deep).find("error:") != std::string::npos);
  std::string closed = deep;
  for (int i = 0; i < 100'000; ++i) closed += "</zone>";
  CHECK(refusal(closed).find("nest more than 64 deep") != std::string::npos);
  CHECK(refusal(many + "</platform>").find("more than 50000 elements") != std::string::npos);
  CHECK(refusal("<!DOCTYPE p [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><platform>&b;</platform>")
            .find("declares an entity") != std::string::npos);
  CHECK(refusal("<platform><cluster id='c' radical='0-999999999' bw='1' lat='0'/></platform>")
            .find("is not a range of hosts") != std::string::npos);
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 2.0);
}
