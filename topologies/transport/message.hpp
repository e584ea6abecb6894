#pragma once
// What a route makes of one message beyond latency and link rates: size ramp, jitter, loss.

#include <optional>
#include <vector>

#include "models/base/random.hpp"
#include "topologies/congestion/congestion.hpp"
#include "topologies/fabric/fabric.hpp"

namespace topologies {

struct ByteRange {
  double begin = 0.0, count = 0.0;
};

struct MessageEffect {
  Seconds delay{};                        // beside the route's start-up and latency
  std::optional<BytesPerSecond> ceiling;  // in place of the route's
  Bytes lost{};                           // sent again when reliable (the mean), else missing (as drawn)
};

class MessageModel {
 public:
  // Of a route with special links.
  MessageModel(const Fabric& fabric, const Route& route);
  // Routes of equal keys have equal models.
  static std::vector<double> key(const Fabric& fabric, const Route& route);

  bool drawn() const { return !jitter_.empty() || loses(); }  // messages of one size differ
  bool sizes_matter() const { return !ramps_.empty() || loses(); }
  bool reliable() const { return transport_.reliability == Reliability::reliable; }

  // Of one message, with streams of its own.
  MessageEffect effect(Bytes size, models::Stream jitter, models::Stream loss) const;
  // The mean over messages of one size.
  MessageEffect average(Bytes size) const;
  // Unreliable only: what effect() drew from the same stream, as ranges of the message in rising order.
  std::vector<ByteRange> lost_parts(Bytes size, models::Stream loss) const;

 private:
  bool loses() const { return path_.loss > 0.0 || message_loss_ > 0.0; }
  std::optional<BytesPerSecond> ceiling(Bytes size) const;
  // Time a message waits for acknowledgements while its windows grow to the long-run one.
  Seconds slow_start(double segments) const;
  // Losses that nothing hides behind: of the last segments, and of the last window.
  struct LastLosses {
    double of_tail = 0.0, of_window = 0.0;
  };
  LastLosses chances(double segments) const;
  Seconds tail_wait(double segments) const;
  Seconds resend_wait(double size, int attempt) const;
  Seconds drawn_wait(Bytes size, models::Stream& loss) const;

  std::vector<Jitter> jitter_;    // of each link that has it
  std::vector<Transport> ramps_;  // of each link that has one
  Transport transport_;           // of the link that loses most: its answer counts
  CongestionControl congestion_;  // likewise
  double message_loss_ = 0.0;
  double burst_ = 1.0;
  LossyPath path_;
  BytesPerSecond lone_{};      // a large lone transfer without loss
  BytesPerSecond long_run_{};  // and with it
};

}  // namespace topologies
