#pragma once
// Protocols: what a collective library adds to the bare transfers of a schedule on one kind of link. NCCL's LL, LL128
// and Simple trade latency for rate; all constants are fitted on measured collectives (analysis/calibration/nccl.cpp).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "models/collective/collective.hpp"

namespace models {

class Params;

struct Protocol {
  std::string name;    // "ll128"
  Seconds start_up{};  // once per collective: launch, flags, the first chunk
  Seconds step{};      // of every round, beside the link's latency
  double wire = 1.0;   // link time of a byte over that of a plain store: flags, partial packets, too few threads
  // The switch adds and copies (NVLS): an all-reduce of n then moves (n + 1) / n of the vector over each cable each
  // way, not the 2 (n - 1) / n of a ring. Played as a ring whose rounds carry that much.
  bool in_switch = false;
};

// All-to-all, send and receive: messages between pairs, without a ring's chain of chunks.
struct PairwiseMessages {
  std::string small, large;  // protocols, by size of a message; empty: as for the other kinds
  Bytes small_up_to{};
  Bytes chunk{};                // larger messages are served peer by peer, smaller ones all at once; 0: peer by peer
  double start_up_share = 1.0;  // of `large`'s start-up and first step
};

// Of one kind of link. No protocols: bare transfers.
struct Protocols {
  std::vector<Protocol> all;
  PairwiseMessages pairwise;
  std::optional<BytesPerSecond> copy;     // of a member's own slice, from and to its own memory
  std::optional<BytesPerSecond> channel;  // most that one channel (one thread block) carries
  BytesPerSecond link{};                  // payload rate, filled in by the link
  const Protocol* find(std::string_view name) const;
};
// Keys protocols, pairwise_messages, copy and channel of a link's mapping.
Protocols read_protocols(Params& link);
// Equal text, equal protocols.
std::string key_of(const Protocols& protocols);

// How the rounds of one collective go: a transfer of b bytes takes the route's latency, `step`, and as long as
// b x wire bytes of others.
struct Pace {
  Seconds start_up{}, step{};
  double wire = 1.0;
};

// What the user asked for; "auto" and 0 leave it to the library.
struct CollectiveWish {
  std::string_view algorithm = "auto", protocol = "auto";
  int channels = 0;
  Bytes element{4.0};  // switches do not add numbers of one byte
};
struct Choice {
  std::string_view algorithm;          // a row of collectives()
  const Protocol* protocol = nullptr;  // of the Protocols given; null: bare transfers
  Pace pace;
};
// Time of all rounds of an algorithm at a pace, without its start-up.
using RoundsTime = std::function<Seconds(std::string_view algorithm, const Pace& pace)>;

// The fastest pair of algorithm and protocol that the wish leaves, ties to the first. `size` as CollectiveCall has it:
// elements x element size. Throws Error for a protocol that the links do not have.
Choice choose(const Protocols& protocols, CollectiveKind kind, const Group& group, Bytes size,
              const CollectiveWish& wish, const RoundsTime& rounds_time);

// Throws Error when the wish is neither "auto" nor among them.
void check_protocol(const Protocols& protocols, std::string_view wished);

// A schedule on members that each have one cable to a switch which does not block: rounds of equal transfers.
class SwitchedRounds {
 public:
  SwitchedRounds(const Schedule& schedule, int members, std::int64_t elements);
  // `route`: latency from member to member; `rate`: of a cable, each way.
  Seconds time(Bytes size, Seconds route, BytesPerSecond rate, const Pace& pace) const;

 private:
  struct Phase {
    double rounds, busiest;  // share of the size that the busiest cable carries one way
  };
  std::vector<Phase> phases_;
};

}  // namespace models
