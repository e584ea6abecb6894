#include "topologies/congestion/congestion.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "models/base/defaults.hpp"
#include "models/base/random.hpp"

using topologies::LossyPath;

namespace {

LossyPath path(double rtt_s, double loss, double bits_per_second = 1e9) {
  LossyPath made;
  made.events = made.loss = loss;
  made.rtt = {rtt_s};
  made.segment = {1448.0};
  made.min_timeout = {0.2};
  made.rate = {bits_per_second / 8.0 * 0.9415};
  made.queue = std::max(made.rtt * made.rate, made.segment * 100.0);
  return made;
}

double bytes_per_second(const char* name, const LossyPath& of) {
  return models::made_by_default(*topologies::congestion_controls().find(name)).long_run(of).value;
}

enum class Timeouts { none, doubling };

// Reno's window packet by packet: slow start, one more a round trip, half on three duplicate acknowledgements, a timer
// that doubles otherwise. After the first loss of a round the rest of it is lost too (the assumption of PFTK).
double reno_by_packets(double rtt, double timer, double loss, Timeouts timeouts) {
  constexpr int losses = 40000, most_doublings = 6;
  models::Stream draws(1, models::Purpose::loss, 0, 0);
  double window = 1.0, threshold = 1e9, time = 0.0, sent = 0.0;
  const auto delivered_of = [&](int count) {
    int arrived = 0;
    while (arrived < count && draws.uniform() >= loss) ++arrived;
    return arrived;
  };
  for (int seen = 0; seen < losses;) {
    const int round = static_cast<int>(window), arrived = delivered_of(round);
    time += rtt;
    sent += round;
    if (arrived == round) {
      window = window < threshold ? std::min(2.0 * window, threshold) : window + 1.0;
      continue;
    }
    ++seen;
    const int duplicates = delivered_of(arrived);
    if (arrived > 0) time += rtt;
    sent += arrived;
    window = threshold = std::max(2.0, std::floor(window / 2.0));
    if (timeouts == Timeouts::none || duplicates >= 3) continue;
    int doublings = 0;
    do {
      time += timer * static_cast<double>(1 << std::min(doublings++, most_doublings));
      sent += 1.0;
    } while (draws.uniform() < loss);
    window = 1.0;
  }
  return sent * 1448.0 / time;
}

struct Measured {
  std::string control;
  double loss, goodput;  // bytes/s
};
std::vector<Measured> measured() {
  std::ifstream file(SOURCE_DIR "/../shared/data/own_measurements/tcp_loss_100Mbps_rtt10ms.csv");
  std::vector<Measured> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line.substr(line.find('"', 1) + 2));  // behind the quoted source
    std::vector<std::string> cell(1);
    while (std::getline(cells, cell.back(), ',')) cell.emplace_back();
    rows.push_back({cell[0], std::stod(cell[3]), std::stod(cell[7]) * 1e6 / 8.0});
  }
  return rows;
}

}  // namespace

TEST_CASE("Mathis's formula is within 10 % of Reno's window rules without time-outs, loss 0.1 to 10 %",
          "[congestion]") {
  for (const double loss : {0.001, 0.003, 0.01, 0.03, 0.1}) {
    const double formula = bytes_per_second("mathis", path(0.1, loss));
    const double packets = reno_by_packets(0.1, 0.3, loss, Timeouts::none);
    INFO("loss " << loss);
    CHECK(formula == Approx(packets).epsilon(0.10));
  }
}

// Its chance of a time-out is taken at the mean window; over windows as they come it is larger, the more so the smaller
// they are: the formula lies above, by more under more loss.
TEST_CASE("PFTK's formula follows Reno's window rules with time-outs within stated tolerances, loss 0.1 to 10 %",
          "[congestion]") {
  struct Case {
    double loss, tolerance;
  };
  for (const double rtt : {0.01, 0.1})
    for (const Case& of : {Case{0.001, 0.05}, Case{0.003, 0.06}, Case{0.01, 0.22}, Case{0.03, 0.38}, Case{0.1, 0.40}}) {
      const double formula = bytes_per_second("reno", path(rtt, of.loss));
      const double packets = reno_by_packets(rtt, rtt + 0.2, of.loss, Timeouts::doubling);
      INFO("round trip " << rtt << ", loss " << of.loss << ": " << formula << " and " << packets);
      CHECK(formula > packets * (1.0 - 0.05));
      CHECK(formula < packets * (1.0 + of.tolerance));
    }
}

TEST_CASE("CUBIC's response function has the values of RFC 9438", "[congestion]") {
  // Section 5.1: mean window 1.054 (RTT / p)^(3/4) where that exceeds Reno's.
  const double window = bytes_per_second("cubic", path(0.1, 1e-6, 1e12)) * 0.1 / 1448.0;
  CHECK(window == Approx(1.054 * std::pow(0.1 / 1e-6, 0.75)).epsilon(1e-3));
  CHECK(bytes_per_second("cubic", path(0.01, 0.01)) == Approx(1448.0 * std::sqrt(1.5 / 0.01) / 0.01).epsilon(1e-12));
}

TEST_CASE("BBR keeps its rate to a loss of 15 % and loses it at 20 %", "[congestion]") {
  CHECK(bytes_per_second("bbr", path(0.05, 0.149)) == path(0.05, 0.149).rate.value);
  CHECK(bytes_per_second("bbr", path(0.05, 0.2)) < 0.01 * path(0.05, 0.2).rate.value);
}

TEST_CASE("no congestion control is faster under more loss, over a longer path or than the link", "[congestion]") {
  const std::vector<double> losses{1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.5};
  for (const auto& row : topologies::congestion_controls().rows())
    for (const double rate : {1e6, 1e8, 1e9})
      for (const double rtt : {0.001, 0.01, 0.06, 0.3}) {
        double before = path(rtt, 0.0, rate).rate.value;
        for (const double loss : losses) {
          const double now = bytes_per_second(row.name.data(), path(rtt, loss, rate));
          INFO(row.name << ", " << rate << " b/s, round trip " << rtt << ", loss " << loss);
          CHECK(now > 0.0);
          CHECK(now <= before * 1.005);  // draws are the same, rounding of windows to segments is not
          before = std::min(before, now);
        }
      }
}

TEST_CASE("one flow of today's Linux TCP over 100 Mb/s and 10 ms is met within 20 % at every measured row",
          "[congestion]") {
  const std::vector<Measured> rows = measured();
  if (rows.empty()) {
    std::puts("skipped: no measured data");
    return;
  }
  CHECK(rows.size() == 16);
  for (const Measured& row : rows) {
    LossyPath of = path(0.01 + 1514.0 * 8.0 / 1e8, row.loss, 1e8);
    of.rate = {1e8 / 8.0 * 1448.0 / 1500.0};  // the shaper of this measurement counts IP packets
    of.queue = {150000.0};
    const double ours = bytes_per_second(row.control == "cubic" ? "linux" : "linux_reno", of);
    std::printf("%-5s loss %5.3f: %6.3f Mb/s measured, %6.3f ours, %+5.1f %%\n", row.control.c_str(), row.loss,
                row.goodput * 8e-6, ours * 8e-6, 100.0 * (ours / row.goodput - 1.0));
    CHECK(ours == Approx(row.goodput).epsilon(0.20));
  }
}
