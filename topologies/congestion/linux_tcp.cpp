// Windows of Linux's TCP from loss to loss, in whole segments as the kernel keeps them (net/ipv4/tcp_cong.c,
// tcp_cubic.c, tcp_input.c, tcp_recovery.c of 6.18): an own recursion, its mean over fixed draws is the long-run rate.
// What makes it slower than the saw-tooth of Mathis and PFTK, and spares it their time-outs:
//  - a reduction forgets the part of a segment gained so far (snd_cwnd_cnt = 0);
//  - CUBIC looks at its clock at most every HZ/32 while its window stays the same;
//  - a lost retransmission is found by RACK in one more round trip, losses at the end by a probe: time-outs are left
//    for flights of which nothing arrives.

#include "topologies/congestion/linux_tcp.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/random.hpp"

namespace topologies {

namespace {

constexpr double least_window = 2.0;  // segments after a reduction: tcp_reno_ssthresh, cubictcp_recalc_ssthresh
constexpr double cubic_beta = 717.0 / 1024.0;  // tcp_cubic.c: beta
constexpr double cubic_c = 0.4;                // RFC 9438, section 5: C, segments / s^3
constexpr double friendly_eighths = 15.0;      // tcp_cubic.c: beta_scale, 8 (1024 + beta) / 3 / (1024 - beta)
constexpr double looks_apart_s = 1.0 / 32.0;   // tcp_cubic.c: HZ / 32
constexpr double fast_count = 100.0;           // tcp_cubic.c: "very small increment"
constexpr double per_acknowledgement = 2.0;    // segments: delayed acknowledgements, RFC 5681 section 4.2
constexpr double reordering_part = 0.25;       // of the round trip RACK waits below three reports, RFC 8985 section 6.2
constexpr double told_at_once = 3.0;           // reports of later segments that spare this wait
constexpr double probe_round_trips = 2.0;      // RFC 8985 section 7.2
constexpr double least_timer_s = 0.002;        // TCP_TIMEOUT_MIN: two jiffies
constexpr int most_doublings = 6;              // of the timer: 64-fold, as PFTK has it
constexpr double steps_per_round_trip = 16.0;  // of windows too large to go acknowledgement by acknowledgement
constexpr double growth_steps = 256.0;         // per doubling of a large window
constexpr int events_counted = 4096, fewest_events = 96, events_forgotten = 32;
constexpr int most_steps = 200000;

// x^(1/3) for x >= 0 by Newton's iteration: the same bits everywhere.
double cube_root(double x) {
  if (x <= 0.0) return 0.0;
  double root = std::max(1.0, x);
  for (int i = 0; i < 200; ++i) {
    const double next = (2.0 * root + x / (root * root)) / 3.0;
    if (!(next < root)) break;
    root = next;
  }
  return root;
}

// Congestion avoidance of one connection.
class Window {
 public:
  Window(Growth growth, double least_rtt) : growth_(growth), least_rtt_(least_rtt) {}
  double segments() const { return window_; }

  void acknowledged(double count, double now) {
    const double every = growth_ == Growth::reno ? window_ : cubic_every(count, now);
    if (counted_ >= every) {  // what piled up under a slower pace is worth one segment: tcp_cong_avoid_ai()
      counted_ = 0.0;
      window_ += 1.0;
    }
    counted_ += count;
    if (counted_ < every) return;
    const double whole = std::floor(counted_ / every);
    counted_ -= whole * every;
    window_ += whole;
  }

  void reduce() {
    counted_ = 0.0;
    if (growth_ == Growth::reno) {
      window_ = std::max(least_window, std::floor(window_ / 2.0));
      return;
    }
    epoch_ = -1.0;
    last_most_ = window_ < last_most_ ? std::floor(window_ * (1.0 + cubic_beta) / 2.0) : window_;  // fast convergence
    window_ = std::max(least_window, std::floor(window_ * cubic_beta));
  }

 private:
  // Acknowledged segments for one more in the window: bictcp_update().
  double cubic_every(double count, double now) {
    acknowledged_ += count;
    if (looked_at_ == window_ && now - looked_ <= looks_apart_s) return every_;
    looked_at_ = window_;
    looked_ = now;
    if (epoch_ < 0.0) {
      epoch_ = now;
      acknowledged_ = count;
      friendly_ = window_;
      to_origin_ = cube_root((last_most_ - window_) / cubic_c);
      origin_ = std::max(last_most_, window_);
    }
    const double t = now - epoch_ + least_rtt_ - to_origin_;
    const double target =
        t < 0.0 ? std::ceil(origin_ + cubic_c * t * t * t) : std::floor(origin_ + cubic_c * t * t * t);
    every_ = target > window_ ? std::floor(window_ / (target - window_)) : fast_count * window_;
    const double friendly_every = std::floor(window_ * friendly_eighths / 8.0);
    const double gained = std::floor(acknowledged_ / friendly_every);
    acknowledged_ -= gained * friendly_every;
    friendly_ += gained;
    if (friendly_ > window_) every_ = std::min(every_, std::floor(window_ / (friendly_ - window_)));
    return every_ = std::max(every_, 2.0);
  }

  Growth growth_;
  double least_rtt_;
  double window_ = 10.0, counted_ = 0.0;
  double epoch_ = -1.0, last_most_ = 0.0, origin_ = 0.0, to_origin_ = 0.0, friendly_ = 0.0, acknowledged_ = 0.0;
  double looked_at_ = -1.0, looked_ = -1.0, every_ = 2.0;
};

class Connection {
 public:
  Connection(const LossyPath& path, Growth growth)
      : path_(path),
        growth_(growth),
        window_(growth, path.rtt.value),
        stream_(0, models::Purpose::loss, 0, 0),
        per_second_((path.rate / path.segment).value),
        most_((path.rtt * path.rate + path.queue) / path.segment) {}

  double delivered_per_second() {
    next_loss();
    double delivered = 0.0, from = 0.0;
    for (int event = 0; event < events_counted && (steps_ < most_steps || event < fewest_events); ++event) {
      if (event == events_forgotten) delivered = delivered_, from = now_;
      to_next_loss();
      recover();
    }
    return std::min(per_second_, (delivered_ - delivered) / (now_ - from));
  }

 private:
  double rtt() const { return std::max(path_.rtt.value, window_.segments() / per_second_); }
  void next_loss() { gap_ = std::floor(stream_.exponential() / path_.events); }  // segments that arrive before it

  // Segments of a window that are acknowledged within a round trip: an odd one waits for the next to pair with.
  double answered() const { return per_acknowledgement * std::floor(window_.segments() / per_acknowledgement); }

  // `count` segments go out while as many are acknowledged.
  void send(double count) {
    now_ += std::max(path_.rtt.value * count / answered(), count / per_second_);
    delivered_ += count;
    window_.acknowledged(count, now_);
  }

  // So that a window grows by little in a step, and CUBIC's clock is looked at as often as it looks itself.
  double round_trips_at_once() const {
    double most = window_.segments() / growth_steps;
    if (growth_ == Growth::cubic) most = std::min(most, looks_apart_s / rtt());
    return std::max(most, 1.0 / steps_per_round_trip);
  }

  void to_next_loss() {
    while (gap_ > 0.0 && window_.segments() < most_) {
      const double step = std::max(per_acknowledgement, std::floor(window_.segments() * round_trips_at_once()));
      send(std::min(step, gap_));
      gap_ -= step;
      ++steps_;
    }
  }

  // Losses among `count` segments, the next one beginning behind them.
  double lost_among(double count) {
    double lost = 0.0;
    for (; gap_ < count; ++lost) {
      count -= gap_ + 1.0;
      next_loss();
    }
    gap_ -= count;
    return lost;
  }

  void recover() {
    const bool queue_full = gap_ > 0.0;
    if (!queue_full) next_loss();
    double flight = std::max(0.0, window_.segments() - 1.0);  // goes out before the sender can know
    double lost = 1.0 + lost_among(flight);
    const double arrived = flight - (lost - 1.0);
    send(arrived);
    now_ += path_.rtt.value * std::max(0.0, 1.0 - arrived / answered());
    const bool told = arrived >= told_at_once;
    if (!told) now_ += arrived > 0.0 ? path_.rtt.value * reordering_part : probe_round_trips * rtt() + least_timer_s;
    if (arrived <= 0.0 && probe_lost()) time_out();
    window_.reduce();
    send_again(lost, told);
  }

  bool probe_lost() { return lost_among(1.0) > 0.0; }

  // One segment at a time until it arrives, then a slow start to the window the reduction left.
  void time_out() {
    int doublings = 0;
    do now_ += timeout(path_).value * static_cast<double>(1 << std::min(doublings++, most_doublings));
    while (lost_among(1.0) > 0.0);
    for (double grown = 1.0; grown < window_.segments(); grown *= 2.0) now_ += path_.rtt.value;
  }

  // With fewer than three reports the first retransmission travels alone, and a time-out waits for it (proportional
  // rate reduction, RFC 6937: nothing delivered since recovery began allows more).
  void send_again(double lost, bool told) {
    for (bool alone = !told; lost > 0.0; alone = false) {
      const double again = alone ? 1.0 : std::min(lost, window_.segments());
      const double fresh = alone ? 0.0 : window_.segments() - again;
      const double lost_again = lost_among(again), fresh_lost = lost_among(fresh);
      delivered_ += again - lost_again + fresh - fresh_lost;
      if (lost_again + fresh_lost >= again + fresh) {
        time_out();
        lost -= again;  // what timed out has arrived
        delivered_ += again;
        continue;
      }
      now_ += rtt();
      lost += lost_again - again;
      if (fresh_lost > 0.0 && lost <= 0.0) {  // behind what recovery waited for: the next one follows at once
        window_.reduce();
        lost = fresh_lost;
      }
    }
  }

  const LossyPath& path_;
  Growth growth_;
  Window window_;
  models::Stream stream_;
  double per_second_, most_;
  double now_ = 0.0, delivered_ = 0.0, gap_ = 0.0;
  int steps_ = 0;
};

}  // namespace

models::BytesPerSecond linux_rate(const LossyPath& path, Growth growth) {
  return path.segment * Connection(path, growth).delivered_per_second() / models::Seconds{1.0};
}

}  // namespace topologies
