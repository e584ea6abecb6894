#pragma once
// Communicator: the FIFO communication stream of one group. A collective starts when the one before has ended and its
// last member has reached it; members that call in a different order end the run like a deadlock, with both call lists.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "sim/engine/player.hpp"

namespace sim {

class Communicator final : private PlayObserver, private Witness {
 public:
  struct Completion {
    std::int64_t sequence = 0;  // 0, 1, 2, ... in the order of the stream
    models::CollectiveCall call;
    models::Seconds first_joined{}, last_joined{};
    Played played;
  };
  // Called before the members' operations end (numbers are reduced here).
  using Completed = std::function<void(const Completion&)>;
  // Called when a collective starts (inputs are frozen here).
  using Started = std::function<void(std::int64_t sequence, const models::CollectiveCall&)>;

  Communicator(Core& core, Player& player, models::Group group, Completed completed, Started started = {});
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  struct Joined {
    models::Operation operation;
    std::int64_t sequence = 0;
  };
  // `member` reaches its next collective. The operation ends with the whole collective.
  Joined join(int member, const models::CollectiveCall& call);
  const models::Group& group() const { return player_.group(group_); }

 private:
  struct Pending {
    models::CollectiveCall call;
    int first_member = 0;
    double first_joined = 0.0, last_joined = 0.0;
    int arrived = 0;
    std::vector<models::Operation> members;  // table is null before a member has arrived
  };

  void start_front();
  void played(std::uint64_t tag, const Played& played) override;
  std::string detail(std::uint64_t argument) const override;
  void report_disorder(int member, const models::CollectiveCall& call, std::size_t position);

  Core& core_;
  Player& player_;
  int group_;
  Completed completed_;
  Started started_;
  std::deque<Pending> pending_;
  std::vector<std::int64_t> position_;  // by member: collectives reached so far
  std::int64_t front_ = 0;              // sequence of pending_.front()
  bool playing_ = false;
  std::vector<std::vector<models::Operation>> spare_;
};

}  // namespace sim
