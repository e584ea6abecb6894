#pragma once
// World: a fabric with a device on every host. Host index = rank.

#include <string>
#include <string_view>
#include <vector>

#include "models/device/cost_model.hpp"
#include "topologies/fabric/fabric.hpp"

namespace models { class Params; }

namespace topologies {

// What a builder gives: the graph, and which node (GPU island) each host belongs to.
struct Blueprint {
  Fabric fabric;
  std::vector<int> node;  // by host index
};

// `cluster:` of a scenario, validated; made by read_cluster, turned into a World by build().
struct Cluster {
  std::function<Blueprint()> blueprint;                // pure
  int hosts = 0;                                       // known without building
  models::Device gpu;                                  // default device
  std::vector<std::pair<int, models::Device>> other_gpus;  // per host index
  std::string fidelity = "auto";                       // cluster.network.fidelity: auto | fluid | simgrid | collapsed
  std::string description;                             // "16 nodes x 4 v100_pcie_16gb, inter_node 10 Gb/s"
  std::string key;                                     // equal keys build equal worlds
};
Cluster read_cluster(models::Params& params);

struct World {
  Fabric fabric;
  std::vector<int> node;
  std::vector<models::Device> devices;                 // distinct
  std::vector<int> device;                             // by host index, into devices
  const models::Device& device_of(int host) const { return devices[static_cast<std::size_t>(device[static_cast<std::size_t>(host)])]; }
};
World build(const Cluster& cluster);

}  // namespace topologies
