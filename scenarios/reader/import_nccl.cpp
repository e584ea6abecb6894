// NCCL's and RCCL's topology files (NCCL_TOPO_FILE, version 1 and 2): one machine. Rates where the file leaves them out
// are those that NCCL plans with: src/graph/topo.h and topo.cc of NCCL 2.21, of RCCL for XGMI.

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "models/base/units.hpp"
#include "scenarios/reader/graph_writer.hpp"
#include "scenarios/reader/import_xml.hpp"

namespace scenarios {

namespace {

using models::Node;

// A processor that NCCL would look at on the machine itself: display, 3D controller, accelerator.
bool is_bare_gpu(const XmlElement& pci) {
  const std::string kind = pci.attribute("class").substr(0, 6);
  return pci.name == "pci" && pci.children.empty() && (kind == "0x0302" || kind == "0x0380" || kind == "0x1200");
}

bool holds_gpu(const XmlElement& element) {
  return element.name == "gpu" || is_bare_gpu(element) || std::any_of(element.children.begin(), element.children.end(), holds_gpu);
}

double number(const XmlElement& element, std::string_view key, double fallback) {
  const std::string text = element.attribute(key);
  const auto value = models::read_number(text.substr(0, text.find(' ')));
  return value && *value > 0.0 ? *value : fallback;
}

Node link(const char* preset, double gigabytes_per_s, const models::Place& place) {
  return mapping_node({{"preset", preset}, {"bandwidth", fmt::format("{} GB/s", models::shortest(gigabytes_per_s))}},
                      place);
}

// A PCIe link of the file, one direction: transfers x lanes x encoding (8b/10b up to generation 2, 128b/130b from 3).
// A virtual machine hides them: then generation 3 with 16 lanes, as topo.cc assumes.
Node pcie(const XmlElement& pci) {
  constexpr double usual_speed = 8.0, usual_lanes = 16.0, new_encoding = 128.0 / 130.0, old_encoding = 0.8, bits = 8.0;
  const double speed = number(pci, "link_speed", usual_speed), lanes = number(pci, "link_width", usual_lanes);
  constexpr double third = 8.0, fourth = 16.0, fifth = 32.0;  // GT/s
  const char* preset = speed >= fifth ? "pcie5_x16" : speed >= fourth ? "pcie4_x16" : "pcie3_x16";
  return link(preset, speed * lanes / bits * (speed >= third ? new_encoding : old_encoding), pci.place);
}

struct Speed {
  const char* preset;
  double per_link;  // GB/s, one direction
};
// NVIDIA's datasheets: NVLink 1 20, NVLink 2 to 4 25, NVLink 5 50 GB/s a link.
Speed nvlink(const XmlElement& gpu) {
  const double sm = number(gpu, "sm", 70.0);
  if (sm < 70.0) return {"nvlink_v100", 20.0};
  if (sm < 80.0) return {"nvlink_v100", 25.0};
  if (sm < 90.0) return {"nvlink_a100", 25.0};
  return {"nvlink_h100", sm < 100.0 ? 25.0 : 50.0};
}
// RCCL's VEGA_, MI200_ and GFX94X_XGMI_WIDTH.
Speed xgmi(const XmlElement& gpu) {
  const std::string gcn = gpu.attribute("gcn");
  const auto is = [&gcn](std::string_view family) { return gcn.find(family) != std::string::npos; };
  return {"nvlink_v100", is("94") ? 48.0 : is("90a") || is("910") ? 36.0 : 24.0};
}

// Between sockets: topo.h's P9_BW 32, ARM_BW 6, AMD_BW 16, SRP_BW 22, SKL_QPI_BW 10, BDW_QPI_BW 6.
Node between_sockets(const XmlElement& cpu) {
  constexpr double skylake = 0x55, sapphire_rapids = 0x8F;
  const std::string arch = cpu.attribute("arch");
  double rate = 10.0;
  if (arch == "ppc64") rate = 32.0;
  if (arch == "arm64") rate = 6.0;
  if (cpu.attribute("vendor") == "AuthenticAMD") rate = 16.0;
  if (cpu.attribute("vendor") == "GenuineIntel") {
    const double model = number(cpu, "modelid", skylake);
    rate = model >= sapphire_rapids ? 22.0 : model >= skylake ? 10.0 : 6.0;
  }
  return mapping_node({{"bandwidth", fmt::format("{} GB/s", rate)}, {"latency", "0.5 us"}}, cpu.place);
}

struct Gpu {
  std::string name;
  const XmlElement* element;
};

class Machine {
 public:
  explicit Machine(const XmlElement& system) : graph_("NCCL topology of one machine", system.place) {
    graph_.start_node();
    std::vector<const XmlElement*> sockets;
    for (const XmlElement& child : system.children)
      if (child.name == "cpu") sockets.push_back(&child);
    if (sockets.empty()) throw models::Error(system.place, "the system has no <cpu>");
    for (const XmlElement* cpu : sockets)
      for (const XmlElement& child : cpu->children) find(child);
    if (gpus_.empty()) throw models::Error(system.place, "the system has no <gpu>");
    for (const auto& [bus, gpu] : gpus_) join_direct(bus, gpu);  // first: equal ways go over these
    if (has_switch_) graph_.add_switch("nvswitch");
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      const std::string name = fmt::format("cpu{}", i);
      graph_.add_switch(name);
      for (const XmlElement& child : sockets[i]->children) hang(child, name);
      for (std::size_t j = 0; j < i; ++j)
        graph_.join(fmt::format("cpu{}", j), name, between_sockets(*sockets[i]), sockets[i]->place);
    }
    graph_.leave_out_cost("NICs and the machines beyond them");
    if (bare_) graph_.leave_out_gain("NVLinks, which such a file leaves to NCCL to find on the machine");
  }
  Node graph() const { return graph_.graph(); }

 private:
  void find(const XmlElement& element) {
    if (element.name != "pci") return;
    if (is_bare_gpu(element)) {
      bare_ = true;
      add(element, element, fmt::format("gpu{}", gpus_.size()));
    }
    for (const XmlElement& child : element.children) {
      if (child.name == "gpu") add(element, child, "gpu" + child.required("dev"));
      find(child);
    }
  }
  void add(const XmlElement& pci, const XmlElement& gpu, const std::string& name) {
    if (!gpus_.emplace(pci.required("busid"), Gpu{name, &gpu}).second)
      throw models::Error(pci.place, fmt::format("two GPUs have the bus id '{}'", pci.required("busid")));
    graph_.add_host(name);
  }
  // NVLink and XGMI: to another GPU once, to switches all links as one cable to the one switch that they form. A GPU
  // that names itself (a virtual machine hides its peer) has no link.
  void join_direct(const std::string& bus, const Gpu& gpu) {
    double to_switch = 0.0;
    for (const XmlElement& child : gpu.element->children) {
      if (child.name != "nvlink" && child.name != "xgmi") continue;
      const Speed speed = child.name == "nvlink" ? nvlink(*gpu.element) : xgmi(*gpu.element);
      const double rate = number(child, "count", 1.0) * speed.per_link;
      const std::string target = child.required("target");
      const auto peer = gpus_.find(target);
      if (child.attribute("tclass").rfind("0x0680", 0) == 0)
        to_switch += rate;
      else if (peer == gpus_.end())
        throw models::Error(child.place, fmt::format("no GPU has the bus id '{}'", target));
      else if (bus < target)
        graph_.join(gpu.name, peer->second.name, link(speed.preset, rate, child.place), child.place);
    }
    if (to_switch > 0.0) {
      has_switch_ = true;
      graph_.join(gpu.name, "nvswitch", link(nvlink(*gpu.element).preset, to_switch, gpu.element->place),
                  gpu.element->place);
    }
  }
  // PCIe, where a GPU lies below: the GPU itself, or a switch.
  void hang(const XmlElement& element, const std::string& above) {
    if (element.name != "pci" || !holds_gpu(element)) return;
    const auto gpu = gpus_.find(element.required("busid"));
    const std::string name = gpu != gpus_.end() ? gpu->second.name : "pci@" + element.required("busid");
    if (gpu == gpus_.end()) graph_.add_switch(name);
    graph_.join(above, name, pcie(element), element.place);
    for (const XmlElement& child : element.children) hang(child, name);
  }

  GraphWriter graph_;
  std::map<std::string, Gpu> gpus_;  // by bus id
  bool has_switch_ = false;
  bool bare_ = false;  // some GPU without its own element
};

}  // namespace

Node graph_of_nccl(const XmlElement& system) { return Machine(system).graph(); }

}  // namespace scenarios
