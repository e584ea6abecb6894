#pragma once
// Player: plays collective schedules on a network, transfer by transfer (expanded) or, where that is exact, a whole
// phase as one event (collapsed). Slices are equal: a schedule is asked for a multiple of group size squared elements,
// whose splits leave no remainder, and scaled to the bytes.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/algorithm/worker.hpp"
#include "models/collective/collective.hpp"
#include "sim/engine/core.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/result/result.hpp"

namespace sim {

struct Played {
  models::Seconds begin{}, end{};
  std::string_view algorithm;  // a row of collectives()
  std::string_view backend;    // fluid, simgrid, collapsed, approximate
  std::string_view protocol;   // of the links; empty: bare transfers
};
class PlayObserver {
 public:
  virtual void played(std::uint64_t tag, const Played& played) = 0;

 protected:
  ~PlayObserver() = default;
};

// expanded: every transfer is a flow. collapsed: one variable always, `approximate` where the rule of exactness does
// not hold. automatic: collapsed where exact, expanded up to largest_expanded members, approximate above.
enum class Expansion { automatic, expanded, collapsed };
inline constexpr int largest_expanded = 512;  // members; design section 6

class Player {
 public:
  Player(Core& core, Network& network, RouteCache& routes, Expansion expansion);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // What calls leave to the library; before the first play. `protocol` outlives the player.
  void set_library(std::string_view protocol, int channels);

  // Rank = host index. Groups stay known for good, with what was learnt about their patterns.
  int add_group(models::Group group);
  const models::Group& group(int index) const;
  // Starts now. call.algorithm: a row of collectives() or "auto"; throws models::Error when it is unknown or does not
  // do call.kind. Where the links between the members have protocols, the fastest pair of algorithm and protocol that
  // the call leaves is played: its start-up, then the rounds at its pace.
  void play(int group, const models::CollectiveCall& call, PlayObserver& observer, std::uint64_t tag);

  // By collective name, algorithm and backend: share of that collective's plays, in order of first use.
  std::vector<NetworkUse> report() const;
  // Of the network, with what collapsed phases carried.
  std::vector<Network::Usage> usage() const;
  Ledger ledger() const;
  std::int64_t transfers_started() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace sim
