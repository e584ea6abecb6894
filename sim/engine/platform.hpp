#pragma once
// Platform: a World as SimGrid hosts and links, under the settings with which SimGrid's flows are exact. One per
// process.

#include <memory>
#include <simgrid/s4u.hpp>
#include <vector>

#include "topologies/fabric/world.hpp"

namespace sim {

class FabricZone;

// SimGrid's own links are needed by its own flows only. Without them one host stands for all, so that start-up is
// cheap.
enum class WithLinks { no, yes };

class Platform {
 public:
  // `world` must outlive the platform. `ceilings`: private links for flows with a ceiling that may be in flight at
  // once.
  Platform(const topologies::World& world, WithLinks links, int ceilings = 0);
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;
  ~Platform();

  simgrid::s4u::Engine& engine() const { return *engine_; }
  simgrid::s4u::Host* host(int index) const;
  simgrid::s4u::Link* link(topologies::LinkId id) const;  // with links only

  // Every route has this latency in SimGrid, whatever the fabric says: start a flow after the true latency minus this,
  // never with none.
  static models::Seconds constant_latency();

  int ceilings() const { return static_cast<int>(ceilings_.size()); }
  // The next routes end with private link `index`, whose bandwidth is set to the ceiling; until release_ceiling().
  void apply_ceiling(int index, models::BytesPerSecond ceiling);
  void release_ceiling();

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
  FabricZone* zone_;  // owned by the engine
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::s4u::Link*> ceilings_;
};

}  // namespace sim
