#include "topologies/transport/message.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/defaults.hpp"
#include "models/base/error.hpp"

namespace topologies {

namespace {

constexpr double least_queue = 100.0;  // packets; shallow buffers of switches hold about 150 KB
constexpr double tail_segments = 3.0;  // duplicate acknowledgements that tell of a loss: RFC 5681 section 3.2
constexpr int most_doublings = 6;      // of the retransmission timer: PFTK section II.B

// (1 - p)^n by squaring: pow() differs between libraries.
double none_of(double p, double n) {
  double result = 1.0, power = 1.0 - p;
  for (auto left = static_cast<std::uint64_t>(n); left > 0; left >>= 1, power *= power)
    if ((left & 1) != 0) result *= power;
  return result;
}

// -ln(1 - p) by its series, p < 1.
double minus_log_of_rest(double p) {
  constexpr double enough = 1e-17;
  double sum = 0.0, power = p;
  for (int n = 1; power / n > enough * sum && n < 100000; ++n, power *= p) sum += power / n;
  return sum;
}

double efficiency(const Transport& transport, double size) {
  double share = size / (size + transport.half_rate_size.value);
  const std::vector<RampPoint>& ramp = transport.ramp;
  if (ramp.empty()) return share;
  const auto above = std::find_if(ramp.begin(), ramp.end(), [&](const RampPoint& at) { return at.size.value > size; });
  if (above == ramp.begin() || above == ramp.end()) {
    share *= above == ramp.end() ? ramp.back().efficiency : ramp.front().efficiency;
  } else {
    const RampPoint& below = *(above - 1);
    const double part = (size - below.size.value) / (above->size.value - below.size.value);
    share *= below.efficiency + part * (above->efficiency - below.efficiency);
  }
  return share;
}

double drawn_jitter(const Jitter& jitter, models::Stream& stream) {
  constexpr double half_normal_scale = 1.2533141373155003;  // sqrt(pi / 2): the mean of |z| is its inverse
  switch (jitter.shape) {
    case JitterShape::exponential:
      return jitter.mean.value * stream.exponential();
    case JitterShape::uniform:
      return jitter.mean.value * 2.0 * stream.uniform();
    case JitterShape::half_normal:
      return jitter.mean.value * half_normal_scale * std::abs(stream.normal());
  }
  throw models::Bug("a jitter has a shape");
}

struct Narrowest {
  BytesPerSecond rate{};
  std::optional<Bytes> queue;
};
Narrowest narrowest_of(const Fabric& fabric, const Route& route) {
  Narrowest found;
  for (const LinkId link : route.links) {
    const BytesPerSecond capacity = fabric.capacity(link);
    if (found.rate.value != 0.0 && !(capacity < found.rate)) continue;
    found = {capacity, fabric.properties_of(link).queue};
  }
  return found;
}

}  // namespace

std::vector<double> MessageModel::key(const Fabric& fabric, const Route& route) {
  const Narrowest narrowest = narrowest_of(fabric, route);
  std::vector<double> key{route.latency.value, narrowest.rate.value, narrowest.queue ? narrowest.queue->value : -1.0,
                          route.ceiling ? route.ceiling->value : -1.0};
  key.insert(key.end(), route.special.begin(), route.special.end());
  return key;
}

MessageModel::MessageModel(const Fabric& fabric, const Route& route) {
  double most_lost = 0.0, arrives = 1.0;
  for (const std::int32_t index : route.special) {
    const LinkProperties& link = fabric.properties()[static_cast<std::size_t>(index)];
    if (link.jitter.mean.value > 0.0) jitter_.push_back(link.jitter);
    if (link.transport.half_rate_size.value > 0.0 || !link.transport.ramp.empty()) ramps_.push_back(link.transport);
    if (link.loss.unit == LossUnit::message) arrives *= 1.0 - link.loss.rate;
    if (link.loss.rate <= most_lost) continue;
    most_lost = link.loss.rate;
    transport_ = link.transport;
    burst_ = link.loss.burst;
  }
  message_loss_ = 1.0 - arrives;
  const auto [narrowest, queue] = narrowest_of(fabric, route);
  lone_ = route.ceiling ? std::min(narrowest, *route.ceiling) : narrowest;
  long_run_ = lone_;
  const double flows = transport_.flows_per_peer;
  path_.loss = route.loss;
  path_.events = route.loss / burst_;
  path_.segment = transport_.segment;
  path_.rtt = route.latency * 2.0 + path_.segment / narrowest;
  path_.min_timeout = transport_.min_timeout;
  path_.rate = narrowest / flows;
  path_.queue = queue.value_or(std::max(path_.rtt * narrowest, path_.segment * least_queue)) / flows;
  if (!reliable() || !loses()) return;
  const models::Row<CongestionControl>* row = congestion_controls().find(transport_.congestion_control);
  models::ensure(row != nullptr, "a reliable transport that loses has a congestion control");
  congestion_ = models::made_by_default(*row);
  if (path_.loss > 0.0) long_run_ = std::min(lone_, congestion_.long_run(path_) * flows);
}

std::optional<BytesPerSecond> MessageModel::ceiling(Bytes size) const {
  if (ramps_.empty() && !(reliable() && path_.loss > 0.0)) return {};
  double share = 1.0;
  for (const Transport& ramp : ramps_) share = std::min(share, efficiency(ramp, size.value));
  return long_run_ * share;
}

Seconds MessageModel::slow_start(double segments) const {
  if (transport_.initial_window == 0 || path_.loss <= 0.0) return {};
  const double flows = transport_.flows_per_peer;
  const BytesPerSecond rate = long_run_ / flows;
  const double own = segments / flows;
  Seconds wait{};
  double sent = 0.0;
  for (double window = transport_.initial_window;; window *= 2.0) {
    const Seconds busy = path_.segment * window / rate;
    sent += window;
    if (!(busy < path_.rtt) || sent >= own) return wait;
    wait += path_.rtt - busy;
  }
}

MessageModel::LastLosses MessageModel::chances(double segments) const {
  const double flows = transport_.flows_per_peer;
  const double window = path_.rtt * long_run_ / path_.segment;
  const double tail = std::min(segments, tail_segments * flows);
  const double last = std::min(segments, std::max(std::ceil(window), tail));
  const double of_tail = 1.0 - none_of(path_.events, tail);
  return {of_tail, 1.0 - none_of(path_.events, last) - of_tail};
}

// From when a lost last segment would have arrived to when its first retransmission does. A lone segment's probe waits
// for the longest delayed acknowledgement, which is as long as the timer.
Seconds MessageModel::tail_wait(double segments) const {
  if (congestion_.tail == TailRecovery::probe && segments > 1.0) return path_.rtt * 2.0;
  return timeout(path_);
}

// A message whose `attempt`-th sending was lost goes again when the timer ends.
Seconds MessageModel::resend_wait(double size, int attempt) const {
  return timeout(path_) * static_cast<double>(1 << std::min(attempt, most_doublings)) + Bytes{size} / lone_;
}

Seconds MessageModel::drawn_wait(Bytes size, models::Stream& loss) const {
  Seconds wait{};
  if (message_loss_ > 0.0)
    for (int attempt = 0; loss.uniform() < message_loss_; ++attempt) wait += resend_wait(size.value, attempt);
  if (path_.loss <= 0.0) return wait;
  const double segments = std::ceil(size / path_.segment);
  const LastLosses last = chances(segments);
  const double draw = loss.uniform();
  if (draw >= last.of_tail + last.of_window) return wait;
  wait += draw < last.of_tail ? tail_wait(segments) : path_.rtt;
  for (int attempt = 0; loss.uniform() < path_.loss; ++attempt)
    wait += timeout(path_) * static_cast<double>(1 << std::min(attempt, most_doublings));
  return wait;
}

MessageEffect MessageModel::effect(Bytes size, models::Stream jitter, models::Stream loss) const {
  MessageEffect effect;
  for (const Jitter& of : jitter_) effect.delay.value += drawn_jitter(of, jitter);
  if (size.value <= 0.0) return effect;
  effect.ceiling = ceiling(size);
  if (!loses()) return effect;
  if (!reliable()) {
    for (const ByteRange& part : lost_parts(size, loss)) effect.lost.value += part.count;
    return effect;
  }
  effect.delay += slow_start(std::ceil(size / path_.segment)) + drawn_wait(size, loss);
  effect.lost = size * (path_.loss / (1.0 - path_.loss) + message_loss_ / (1.0 - message_loss_));
  return effect;
}

MessageEffect MessageModel::average(Bytes size) const {
  MessageEffect effect;
  for (const Jitter& of : jitter_) effect.delay += of.mean;
  if (size.value <= 0.0) return effect;
  effect.ceiling = ceiling(size);
  if (!loses()) return effect;
  if (!reliable()) {
    effect.lost = size * (1.0 - (1.0 - path_.loss) * (1.0 - message_loss_));
    return effect;
  }
  const double segments = std::ceil(size / path_.segment);
  const LastLosses last = chances(segments);
  effect.delay += slow_start(segments) + tail_wait(segments) * last.of_tail + path_.rtt * last.of_window +
                  timeout(path_) * ((last.of_tail + last.of_window) * path_.loss * backed_off(path_.loss) +
                                    message_loss_ * backed_off(message_loss_)) +
                  size / lone_ * (message_loss_ / (1.0 - message_loss_));
  effect.lost = size * (path_.loss / (1.0 - path_.loss) + message_loss_ / (1.0 - message_loss_));
  return effect;
}

// Runs of delivered and of lost packets take turns, both of geometric length (Gilbert 1960); independent losses are the
// case of a mean run of 1 / (1 - p).
std::vector<ByteRange> MessageModel::lost_parts(Bytes size, models::Stream loss) const {
  models::ensure(!reliable(), "a reliable transport loses nothing for good");
  if (message_loss_ > 0.0 && loss.uniform() < message_loss_) return {{0.0, size.value}};
  std::vector<ByteRange> parts;
  if (path_.loss <= 0.0) return parts;
  const double run = std::max(burst_, 1.0 / (1.0 - path_.loss));
  const double gap = run * (1.0 - path_.loss) / path_.loss;
  const auto length = [&loss](double mean) {
    return mean <= 1.0 ? 1.0 : 1.0 + std::floor(loss.exponential() / minus_log_of_rest(1.0 / mean));
  };
  const double segments = std::ceil(size / path_.segment);
  double next = 0.0;
  for (bool lost = loss.uniform() < path_.loss; next < segments; lost = !lost) {
    const double count = std::min(length(lost ? run : gap), segments - next);
    const double begin = next * path_.segment.value;
    next += count;
    if (lost) parts.push_back({begin, std::min(next * path_.segment.value, size.value) - begin});
  }
  return parts;
}

}  // namespace topologies
