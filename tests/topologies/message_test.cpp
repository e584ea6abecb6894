#include "topologies/transport/message.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "models/base/error.hpp"

using models::Bytes;
using models::Purpose;
using models::Stream;
using topologies::LinkProperties;
using topologies::MessageModel;

namespace {

LinkProperties tcp(double bits_per_second, double latency_s, double loss) {
  LinkProperties link;
  link.name = "link";
  link.bandwidth = {bits_per_second / 8.0};
  link.latency = {latency_s};
  link.transport.name = "tcp";
  link.transport.congestion_control = "linux";
  link.transport.initial_window = 10;
  link.loss.rate = loss;
  return link;
}

LinkProperties udp(double loss, double burst = 1.0) {
  LinkProperties link = tcp(1e9, 1e-3, loss);
  link.transport.name = "udp";
  link.transport.congestion_control.clear();
  link.transport.reliability = topologies::Reliability::unreliable;
  link.loss.burst = burst;
  return link;
}

MessageModel over(const LinkProperties& link) {
  topologies::Fabric fabric;
  fabric.add_host("a");
  fabric.add_host("b");
  fabric.connect(fabric.host(0), fabric.host(1), fabric.add_properties(link));
  return MessageModel(fabric, fabric.route(0, 1));
}

Stream stream(Purpose purpose, int number) { return {7, purpose, 0, static_cast<std::uint32_t>(number), 1}; }

// Mean time of a lone message over a cable, latency included.
double mean_seconds(const MessageModel& model, const LinkProperties& link, double bytes) {
  constexpr int messages = 2000;
  double sum = 0.0;
  for (int i = 0; i < messages; ++i) {
    const auto effect = model.effect({bytes}, stream(Purpose::jitter, i), stream(Purpose::loss, i));
    sum += link.latency.value + effect.delay.value + bytes / effect.ceiling->value;
  }
  return sum / messages;
}

}  // namespace

TEST_CASE("finite flows are slower than the long-run rate when short and reach it when long", "[transport]") {
  for (const char* control : {"reno", "cubic", "linux", "linux_reno"})
    for (const double loss : {0.001, 0.01, 0.05}) {
      LinkProperties link = tcp(1e8, 0.02, loss);
      link.transport.congestion_control = control;
      const MessageModel model = over(link);
      const double long_run =
          model.effect(Bytes{1e12}, stream(Purpose::jitter, 0), stream(Purpose::loss, 0)).ceiling->value;
      double before = 0.0;
      for (const double bytes : {1448.0, 14480.0, 1.448e5, 1.448e6, 1.448e7, 1.448e9}) {
        const double rate = bytes / mean_seconds(model, link, bytes);
        INFO(control << ", loss " << loss << ", " << bytes << " B");
        CHECK(rate < long_run);
        CHECK(rate > before);
        before = rate;
      }
      CHECK(1448.0 / mean_seconds(model, link, 1448.0) < 0.5 * long_run);
      CHECK(before == Approx(long_run).epsilon(0.02));
    }
}

TEST_CASE("the average of a message is the mean of its draws", "[transport]") {
  LinkProperties link = tcp(1e8, 0.02, 0.03);
  link.jitter.mean = {0.004};
  const MessageModel model = over(link);
  CHECK(model.drawn());
  for (const double bytes : {1000.0, 2e5}) {
    double sum = 0.0;
    constexpr int messages = 20000;
    for (int i = 0; i < messages; ++i)
      sum += model.effect({bytes}, stream(Purpose::jitter, i), stream(Purpose::loss, i)).delay.value;
    CHECK(sum / messages == Approx(model.average({bytes}).delay.value).epsilon(0.04));
  }
}

TEST_CASE("jitter has its mean, never shortens a message and stays the same for the same message", "[transport]") {
  for (const auto shape :
       {topologies::JitterShape::exponential, topologies::JitterShape::uniform, topologies::JitterShape::half_normal}) {
    LinkProperties link = tcp(1e9, 0.001, 0.0);
    link.jitter = {{0.002}, shape};
    const MessageModel model = over(link);
    double sum = 0.0;
    constexpr int messages = 20000;
    for (int i = 0; i < messages; ++i) {
      const double delay = model.effect({1e6}, stream(Purpose::jitter, i), stream(Purpose::loss, i)).delay.value;
      REQUIRE(delay >= 0.0);
      REQUIRE(delay == model.effect({1e6}, stream(Purpose::jitter, i), stream(Purpose::loss, i)).delay.value);
      sum += delay;
    }
    CHECK(sum / messages == Approx(0.002).epsilon(0.03));
    CHECK_FALSE(model.effect({1e6}, stream(Purpose::jitter, 0), stream(Purpose::loss, 0)).ceiling.has_value());
  }
}

TEST_CASE("a message of half_rate_size moves at half the rate, a ramp at its points' efficiencies", "[transport]") {
  LinkProperties link = tcp(8e9, 0.0, 0.0);
  link.transport.half_rate_size = {1e6};
  CHECK(over(link).average({1e6}).ceiling->value == Approx(0.5e9));
  CHECK(over(link).average({9e6}).ceiling->value == Approx(0.9e9));
  link.transport.half_rate_size = {};
  link.transport.ramp = {{{1e3}, 0.1}, {{1e6}, 0.9}};
  CHECK(over(link).average({10.0}).ceiling->value == Approx(0.1e9));
  CHECK(over(link).average({500500.0}).ceiling->value == Approx(0.5e9));
  CHECK(over(link).average({1e9}).ceiling->value == Approx(0.9e9));
  CHECK_FALSE(over(link).drawn());
  CHECK(over(link).sizes_matter());
}

TEST_CASE("an unreliable transport loses whole packets, the stated share of them, alone or in bursts", "[transport]") {
  for (const double burst : {1.0, 8.0}) {
    const MessageModel model = over(udp(0.02, burst));
    const double size = 1448.0 * 1000.0 + 7.0;
    double lost = 0.0, parts = 0.0;
    constexpr int messages = 2000;
    for (int i = 0; i < messages; ++i) {
      const auto ranges = model.lost_parts({size}, stream(Purpose::loss, i));
      double end = -1.0, sum = 0.0;
      for (const auto& range : ranges) {
        REQUIRE(range.begin > end);
        REQUIRE(std::fmod(range.begin, 1448.0) == 0.0);
        end = range.begin + range.count;
        REQUIRE((std::fmod(end, 1448.0) == 0.0 || end == size));
        sum += range.count;
        ++parts;
      }
      REQUIRE(sum == model.effect({size}, stream(Purpose::jitter, i), stream(Purpose::loss, i)).lost.value);
      lost += sum;
    }
    CHECK(lost / (size * messages) == Approx(0.02).epsilon(0.05));
    CHECK(lost / 1448.0 / parts == Approx(burst == 1.0 ? 1.0 / 0.98 : burst).epsilon(0.05));
  }
}

TEST_CASE("a lost message is missing whole, or sent again after the timer", "[transport]") {
  LinkProperties link = udp(0.25);
  link.loss.unit = topologies::LossUnit::message;
  const MessageModel model = over(link);
  int lost = 0;
  for (int i = 0; i < 4000; ++i) {
    const double missing = model.effect({5e5}, stream(Purpose::jitter, i), stream(Purpose::loss, i)).lost.value;
    REQUIRE((missing == 0.0 || missing == 5e5));
    lost += missing > 0.0 ? 1 : 0;
  }
  CHECK(lost / 4000.0 == Approx(0.25).epsilon(0.08));

  LinkProperties reliable = tcp(1e9, 0.001, 0.25);
  reliable.loss.unit = topologies::LossUnit::message;
  const MessageModel again = over(reliable);
  int delayed = 0;
  for (int i = 0; i < 4000; ++i)
    delayed += again.effect({5e5}, stream(Purpose::jitter, i), stream(Purpose::loss, i)).delay.value >= 0.2 ? 1 : 0;
  CHECK(delayed / 4000.0 == Approx(0.25).epsilon(0.08));
}

TEST_CASE("parallel connections multiply what loss leaves one of them", "[transport]") {
  LinkProperties link = tcp(1e9, 0.02, 0.01);
  const double one = over(link).average({1e9}).ceiling->value;
  link.transport.flows_per_peer = 4;
  CHECK(over(link).average({1e9}).ceiling->value == Approx(4.0 * one).epsilon(0.03));
}
