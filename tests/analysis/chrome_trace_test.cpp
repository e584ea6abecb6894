#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/analysis/memory_outputs.hpp"
#include "tests/analysis/sample_runs.hpp"

namespace {

nlohmann::json trace_of(const std::vector<sim::Run>& runs) {
  MemoryOutputs outputs;
  analysis::find_report("chrome_trace")->write(sample::scenario(), runs, outputs);
  REQUIRE(outputs.files.count("trace.json") == 1);
  return nlohmann::json::parse(outputs.files.at("trace.json"));
}

}  // namespace

TEST_CASE("a trace shows what a rank does and where it idles, in microseconds", "[report]") {
  sim::Run run;
  run.result.spans = {{3, 0, "forward", 0.0, 0.001},
                      {3, 1, "gradient", 0.0005, 0.002},
                      {3, 0, "adam", 0.0025, 0.003},
                      {4, 0, "forward", 0.0, 0.003}};
  std::vector<nlohmann::json> idle, compute;
  const nlohmann::json trace = trace_of({run});
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "M") continue;
    if (event["pid"] == 3 && event["cat"] == "idle") idle.push_back(event);
    if (event["pid"] == 3 && event["cat"] == "compute") compute.push_back(event);
  }
  REQUIRE(idle.size() == 1);
  CHECK(idle[0]["ts"] == 2000.0);
  CHECK(idle[0]["dur"] == 500.0);
  REQUIRE(compute.size() == 2);
  CHECK(compute[1]["name"] == "adam");
  CHECK(compute[1]["ts"] == 2500.0);
}

TEST_CASE("the ranks of several runs are different processes", "[report]") {
  std::map<int, std::string> names;
  const nlohmann::json trace = trace_of({sample::run("adam", 1.0), sample::run("onebit_adam", 1.0)});
  for (const auto& event : trace["traceEvents"])
    if (event["name"] == "process_name") names[event["pid"]] = event["args"]["name"];
  CHECK(names.size() == 8);
  CHECK(names.at(0) == "adam at 1 Gb/s, rank 0");
  CHECK(names.at(7) == "onebit_adam at 1 Gb/s, rank 3");
}

TEST_CASE("a trace of many ranks shows the first 64 and says so", "[report]") {
  sim::Run run;
  for (int rank = 0; rank < 100; ++rank) run.result.spans.push_back(sim::Span{rank, 0, "forward", 0.0, 0.001});
  const nlohmann::json trace = trace_of({run});
  CHECK(trace["otherData"]["shown"] == "64 of 100 ranks");
  CHECK(trace["traceEvents"].size() == 64 * 5);
}

TEST_CASE("without spans there is no trace file", "[report]") {
  MemoryOutputs outputs;
  const std::vector<sim::Run> runs(1);
  analysis::find_report("chrome_trace")->write(sample::scenario(), runs, outputs);
  CHECK(outputs.files.empty());
}
