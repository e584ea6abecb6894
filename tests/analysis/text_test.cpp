#include <catch2/catch.hpp>
#include <sstream>

#include "analysis/statistics/format.hpp"
#include "analysis/statistics/summary.hpp"
#include "tests/analysis/memory_outputs.hpp"
#include "tests/analysis/sample_runs.hpp"

namespace {

std::string printed(const std::vector<sim::Run>& runs) {
  MemoryOutputs outputs;
  analysis::find_report("text")->write(sample::scenario(), runs, outputs);
  CHECK(outputs.files.empty());
  return outputs.printed;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void set(sim::Run& run, const std::string& name, std::optional<double> value) {
  for (sim::Metric& metric : run.result.metrics)
    if (metric.name == name) metric.value = value;
}

}  // namespace

TEST_CASE("the table has one row per run, units in its headers and at most 120 columns", "[report]") {
  const std::string text = printed(sample::runs());
  std::istringstream lines(text);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    CHECK(analysis::width(line) <= 120);
    if (contains(line, "completed")) ++rows;
  }
  CHECK(rows == 8);
  CHECK(contains(text, "step time"));
  CHECK(contains(text, "comm %"));
  CHECK(contains(text, "GiB"));
  CHECK(contains(text, "loss: gap of layered_quadratic, d = 20,480 (not the loss of bert_large)"));
  CHECK(contains(text, "warning: the flow ceiling, not the link, binds at 100 Gb/s\n"));
}

TEST_CASE("a speed-up is split into its step time and its steps", "[report]") {
  // adam: 807 steps of 10.587 s; onebit_adam: 980 steps of 1.093 s: 9.69 per step x 0.823 = 7.98
  const std::string text = printed(sample::runs());
  CHECK(
      contains(text, "8.0x to target = 9.7x per step (timing, mean to it) x 0.82 (steps, synthetic)  onebit_adam"));
}

TEST_CASE("a variant that missed the target is compared by its step time and cannot win", "[report]") {
  std::vector<sim::Run> runs = {sample::run("adam", 1.0), sample::run("onebit_adam", 1.0)};
  set(runs[1], "time_to_target_s", {});
  set(runs[1], "steps_to_target", {});
  const auto groups = analysis::grouped(runs);
  const analysis::SpeedUp found = analysis::speed_up(groups[0], groups[1]);
  CHECK_FALSE(found.total.has_value());
  CHECK(found.winner == "adam");
  CHECK(analysis::sentence(found) == "9.7x per step (timing)");
}

TEST_CASE("repeats show mean and interval, and no winner where intervals overlap", "[report]") {
  std::vector<sim::Run> runs;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const char* variant : {"adam", "onebit_adam"}) runs.push_back(sample::run(variant, 10.0, seed));
  set(runs[0], "time_to_target_s", 1000.0);
  set(runs[2], "time_to_target_s", 1100.0);
  set(runs[4], "time_to_target_s", 1200.0);
  set(runs[1], "time_to_target_s", 900.0);
  set(runs[3], "time_to_target_s", 950.0);
  set(runs[5], "time_to_target_s", 1010.0);
  const std::string text = printed(runs);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(analysis::width(line) <= 120);
  CHECK(contains(text, "3 repeats: mean [min, max]"));
  CHECK(contains(text, "1100 [1000, 1200]"));
  CHECK(contains(text, "not decided"));
  set(runs[5], "time_to_target_s", 999.0);
  CHECK_FALSE(contains(printed(runs), "not decided"));
}

TEST_CASE("what did not happen is a dash, and a bad status is explained below the table", "[report]") {
  sim::Run run = sample::run("adam", 1.0);
  run.result.status = sim::Status::diverged;
  run.result.status_detail = "the relative gap passed 1e6";
  run.result.status_time_s = 12.5;
  set(run, "final_gap", {});
  const std::string text = printed({run, sample::run("adam", 10.0)});
  CHECK(contains(text, "diverged: adam at 1 Gb/s: the relative gap passed 1e6 (at 12.50 s of simulated time)"));
  CHECK(contains(text, "  -  "));
}

TEST_CASE("a collective job prints a row per size", "[report]") {
  sim::Run run;
  run.result.series.push_back(
      sim::Series{"collective",
                  {"size_B", "time_s", "algorithm_bandwidth_Bps", "bus_bandwidth_Bps", "algorithm", "backend"},
                  {{1024.0, 2e-5, 5.12e7, 1.0e8, {}, {}}, {1073741824.0, 0.25, 4.29e9, 8.45e9, {}, {}}},
                  {{{0, 4}, "ring"}, {{0, 5}, "fluid"}, {{1, 4}, "ring"}, {{1, 5}, "collapsed"}}});
  const std::string text = printed({run});
  CHECK(contains(text, "busbw"));
  CHECK(contains(text, "1,073,741,824"));
  CHECK(contains(text, "collapsed"));
}

TEST_CASE("numbers for people keep their significant digits and unit", "[report]") {
  CHECK(analysis::significant(9.999, 3) == "10.0");
  CHECK(analysis::significant(0.0123456, 3) == "0.0123");
  CHECK(analysis::significant(1234567.0, 3) == "1234567");
  CHECK(analysis::significant(3.4e-5, 3) == "3.40e-05");
  CHECK(analysis::with_commas(-1234567) == "-1,234,567");
  CHECK(analysis::with_commas(999) == "999");
  CHECK(analysis::scale_of("step_time_s", 0.5).unit == "ms");
  CHECK(analysis::scale_of("peak_memory_B", 1e10).unit == "GiB");
}

TEST_CASE("percentiles interpolate between neighbours", "[statistics]") {
  const std::vector<double> values = {1.0, 2.0, 3.0, 4.0};
  CHECK(analysis::percentile(values, 0.0) == 1.0);
  CHECK(analysis::percentile(values, 0.5) == 2.5);
  CHECK(analysis::percentile(values, 1.0) == 4.0);
  CHECK(analysis::percentile(std::vector<double>{7.0}, 0.99) == 7.0);
}

TEST_CASE("swept keys are named by their shortest distinct tail", "[statistics]") {
  const std::vector<sim::PointValue> point = {{"cluster.topology.inter_node.bandwidth", "1 Gb/s", 1.25e8, "B/s"},
                                              {"cluster.topology.intra_node.bandwidth", "9 GB/s", 9e9, "B/s"},
                                              {"training.batch.micro", "16", 16.0, ""}};
  CHECK(analysis::short_keys(point) ==
        std::vector<std::string>{"inter_node.bandwidth", "intra_node.bandwidth", "micro"});
}
