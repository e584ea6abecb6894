#pragma once
// World: a fabric with a device on every host. Host index = rank.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.hpp"
#include "models/device/cost_model.hpp"
#include "topologies/fabric/fabric.hpp"

namespace models {
class Params;
}

namespace topologies {

// What a builder gives: the graph, and which node (GPU island) each host belongs to.
struct Blueprint {
  Fabric fabric;
  std::vector<int> node;  // by host index
  // Links from a host up to where a cable to other sites would begin; none: host 0 is that place.
  std::function<void(int host, std::vector<LinkId>&)> way_out;
};

// Devices of nodes first..last that are not the cluster's default.
struct NodeDevices {
  int first = 0, last = 0;
  models::Device gpu;
};

// An effect a shape leaves out; the result lists it.
struct Omission {
  std::string effect, direction;
};  // direction: optimistic | pessimistic

// `cluster:` of a scenario, validated; made by read_cluster, turned into a World by build().
struct Cluster {
  std::function<Blueprint()> blueprint;  // pure
  int hosts = 0;                         // known without building
  int nodes = 0;
  models::Device gpu;                   // default device
  std::vector<NodeDevices> other_gpus;  // the last that names a node counts
  std::string fidelity = "auto";        // cluster.network.fidelity: auto | fluid | simgrid | collapsed
  std::string description;              // "16 nodes x 4 v100_pcie_16gb, inter_node 10 Gb/s"
  std::string key;                      // equal keys build equal worlds
  std::vector<Omission> not_modelled;
  models::Place place;  // of the topology
};
// Keys topology, defaults.link, gpu, gpus, network.fidelity. What is wrong is recorded in `params`; unknown keys are
// left to its finish().
Cluster read_cluster(models::Params& params);

struct World {
  Fabric fabric;
  std::vector<int> node;
  std::vector<models::Device> devices;  // distinct
  std::vector<int> device;              // by host index, into devices
  std::vector<Omission> not_modelled;
  const models::Device& device_of(int host) const {
    return devices[static_cast<std::size_t>(device[static_cast<std::size_t>(host)])];
  }
};
// Throws Error when some host cannot reach another.
World build(const Cluster& cluster);

}  // namespace topologies
