#pragma once
// One collective under way, transfer by transfer: a member starts its transfers of a round when all its transfers of
// the rounds before have ended.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "models/collective/collective.hpp"
#include "sim/engine/network/network.hpp"

namespace sim {

// The pairs of one round, by sender.
struct Pattern {
  std::vector<int> from, to;               // of every transfer, in the schedule's order
  std::vector<std::uint32_t> first, sent;  // sent[first[m]] .. sent[first[m + 1] - 1]: transfers that member m starts
  std::vector<std::uint32_t> expected;     // by member: transfers to end before it goes on
};
// By PatternId: schedules of one group share patterns.
using Patterns = std::map<models::PatternId, std::unique_ptr<const Pattern>>;

// A play taken over in mid-flight.
struct Position {
  std::vector<std::int64_t> round;  // by member; number of rounds: it is through
  struct Moving {
    std::int64_t round;
    std::uint32_t transfer;
    double delay, bytes;
  };  // what is left of both
  std::vector<Moving> moving;
  struct Ended {
    std::int64_t round;
    std::uint32_t transfer;
  };
  std::vector<Ended> ended;  // of rounds that not every member has left
};

class PlayEnd {
 public:
  virtual void play_ended(std::uint64_t slot) = 0;

 protected:
  ~PlayEnd() = default;
};

class ExpandedPlay final : private FlowObserver {
 public:
  // `step`: seconds that a protocol adds to the delay of every transfer.
  ExpandedPlay(Network& network, RouteCache& routes, const models::Group& group, const models::Schedule& schedule,
               double element_bytes, double step, Patterns& patterns, PlayEnd& end, std::uint64_t slot);
  ExpandedPlay(const ExpandedPlay&) = delete;
  ExpandedPlay& operator=(const ExpandedPlay&) = delete;

  std::int64_t rounds() const { return rounds_; }
  void begin();
  void begin_at(const Position& position);

 private:
  struct Round {
    const Pattern* pattern = nullptr;
    std::vector<double> bytes;               // by transfer
    std::vector<std::uint32_t> outstanding;  // by member
    int members_left = 0;                    // that have not gone on
  };

  void flow_ended(std::uint64_t tag) override;
  void transfer_ended(int member, std::int64_t round);
  void enter(int member, std::int64_t round);
  Round& round(std::int64_t index);
  void drop_finished_rounds();
  Flow flow(std::int64_t round_index, const Round& of, std::uint32_t transfer) const;

  Network& network_;
  RouteCache& routes_;
  const models::Group& group_;
  const models::Schedule& schedule_;
  double element_bytes_, step_;
  Patterns& patterns_;
  PlayEnd& end_;
  std::uint64_t slot_;
  std::int64_t rounds_ = 0;
  std::int64_t base_ = 0;     // number of window_.front()
  std::deque<Round> window_;  // rounds that some member is in or has been told of
  std::vector<Round> spare_;
  std::size_t phase_ = 0;  // of the next round to be made
  std::int64_t phase_begin_ = 0;
  std::vector<std::int64_t> member_round_;
  int members_left_ = 0;
  std::vector<Flow> starting_;
  std::vector<models::Transfer> transfers_;
  std::vector<std::unique_ptr<const Pattern>> own_patterns_;
};

}  // namespace sim
