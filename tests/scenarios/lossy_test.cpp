// Lossy and long links through the whole program.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/random.hpp"
#include "tests/support/program.hpp"

namespace {

using support::content;
using support::Finished;
using support::Folder;
using support::run_program;

// The values of a metric, point by point as result.json holds them.
std::vector<double> values_of(const std::string& json, const std::string& metric) {
  std::vector<double> values;
  const std::string block = "\"metrics\":", key = '"' + metric + "\":";
  for (std::size_t at = json.find(block); at != std::string::npos; at = json.find(block, at + 1)) {
    const std::size_t value = json.find(key, at);
    REQUIRE(value != std::string::npos);
    values.push_back(std::strtod(json.c_str() + value + key.size(), nullptr));
  }
  return values;
}

std::string scenario(const std::string& link, const std::string& collective, const std::string& rest) {
  return "name: lossy\nseed: 1\ncluster:\n  topology: {shape: star, nodes: 4, link: " + link +
         "}\n  gpu: v100_pcie_16gb\ncollective: " + collective + "\n" + rest;
}

}  // namespace

TEST_CASE("from 0 to 10 % of loss every run completes and none is faster, on links drawn from 1 Mb/s and 300 ms on",
          "[lossy]") {
  models::Stream draw(11, models::Purpose::routing, 0, 0);
  const std::vector<std::string> controls{"mathis", "reno", "cubic", "bbr", "linux", "linux_reno"};
  for (const std::string& control : controls) {
    const double megabits = control == "linux" ? 1.0 : 1.0 + 999.0 * draw.uniform() * draw.uniform();
    const double latency_ms = control == "linux" ? 150.0 : 0.02 + 150.0 * draw.uniform() * draw.uniform();
    const double kilobytes = 20.0 + 5000.0 * draw.uniform();
    const std::string link = fmt::format(
        "{{bandwidth: {:.6f} Mb/s, latency: {:.6f} ms, transport: {{name: tcp, congestion_control: {}}}, "
        "loss: {{rate: 0 %}}}}",
        megabits, latency_ms, control);
    const Folder folder;
    const std::string file =
        folder.file("lossy.yaml",
                    scenario(link, fmt::format("{{kind: all_reduce, algorithm: ring, sizes: [{:.0f} KB]}}", kilobytes),
                             "sweep:\n  cluster.topology.link.loss.rate: [0 %, 0.1 %, 0.5 %, 1 %, 2 %, 4 %, 7 %, "
                             "10 %]\n"));
    const Finished finished = run_program({"run", file, "--out", (folder / "out").string(), "--jobs", "1", "--quiet"});
    INFO(link << '\n' << finished.errors);
    REQUIRE(finished.exit_code == 0);
    const std::vector<double> times = values_of(content(folder / "out/result.json"), "time_s");
    REQUIRE(times.size() == 8);
    for (std::size_t i = 1; i < 8; ++i) {
      INFO("point " << i << ": " << times[i] << " s after " << times[i - 1]);
      CHECK(times[i] >= times[i - 1]);
    }
    CHECK(times[7] > times[0]);
  }
}

TEST_CASE("a switch with a limit carries no more in all", "[lossy]") {
  const Folder folder;
  const std::string link = "{bandwidth: 10 Gb/s, latency: 0 us}";
  const std::string exchange = "{kind: all_to_all, algorithm: pairwise, sizes: [40 MB]}";
  std::vector<double> times;
  for (const std::string limit : {"", "  limits: [{at: switch, bandwidth: 10 Gb/s}]\n",
                                  "  limits: [{at: switch, packets_per_second: 1000000, packet: 1250 B}]\n"}) {
    std::string text = scenario(link, exchange, "");
    text.insert(text.find("collective:"), limit);
    const std::string file = folder.file("limit.yaml", text);
    const Finished finished = run_program({"run", file, "--out", (folder / "out").string(), "--quiet"});
    INFO(finished.errors);
    REQUIRE(finished.exit_code == 0);
    times.push_back(values_of(content(folder / "out/result.json"), "time_s").at(0));
  }
  CHECK(times[1] == Approx(4.0 * times[0]).epsilon(1e-9));
  CHECK(times[2] == Approx(4.0 * times[0]).epsilon(1e-9));
}

TEST_CASE("a collective of several hops over datagrams that are lost is refused with the exchanges that are legal",
          "[lossy]") {
  const Folder folder;
  const std::string link = "{bandwidth: 1 Gb/s, latency: 1 ms, transport: udp, loss: {rate: 1 %, burst: 4}}";
  const std::string ring =
      folder.file("ring.yaml", scenario(link, "{kind: all_reduce, algorithm: ring, sizes: [1 MB]}", ""));
  const Finished refused = run_program({"run", ring, "--out", (folder / "a").string(), "--quiet"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find("passes on what it received") != std::string::npos);
  CHECK(refused.errors.find("all_to_all by pairwise") != std::string::npos);
  const std::string direct =
      folder.file("direct.yaml", scenario(link, "{kind: all_to_all, algorithm: pairwise, sizes: [1 MB]}", ""));
  const Finished done = run_program({"run", direct, "--out", (folder / "b").string(), "--quiet"});
  INFO(done.errors);
  CHECK(done.exit_code == 0);
}
