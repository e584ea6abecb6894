#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/analysis/memory_outputs.hpp"
#include "tests/analysis/sample_runs.hpp"

namespace {

MemoryOutputs written(const std::vector<sim::Run>& runs) {
  MemoryOutputs outputs;
  analysis::find_report("csv")->write(sample::scenario(), runs, outputs);
  return outputs;
}

}  // namespace

TEST_CASE("runs.csv holds every run with all its metrics, absent ones empty", "[report]") {
  const MemoryOutputs outputs = written(sample::runs());
  const std::string& text = outputs.files.at("runs.csv");
  CHECK(std::count(text.begin(), text.end(), '\n') == 9);
  CHECK(text.find("variant,cluster.topology.inter_node.bandwidth,cluster.topology.inter_node.bandwidth "
                  "[B/s],seed,status,status_detail,status_time_s,step_time_s,") == 0);
  CHECK(text.find("adam,10 Gb/s,1.25e+09,1,completed,,,1.227,0.04,0.085,") != std::string::npos);
  CHECK(text.find(",,") != std::string::npos);
}

TEST_CASE("each series is one csv with the runs told apart", "[report]") {
  const MemoryOutputs outputs = written(sample::runs());
  const std::string& text = outputs.files.at("loss.csv");
  CHECK(text.find("variant,cluster.topology.inter_node.bandwidth,cluster.topology.inter_node.bandwidth "
                  "[B/s],step,time_s,gap\nadam,1 Gb/s,1.25e+08,0,0,1") == 0);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 8 * 1201);
}

TEST_CASE("csv quotes commas, quotes and line breaks", "[report]") {
  sim::Run run = sample::run("a, \"b\"\nc", 1.0);
  run.result.series = {sim::Series{"../loss", {"step", "algorithm"}, {{1.0, {}}}, {{{0, 1}, "ring, flat"}}}};
  const MemoryOutputs outputs = written({run});
  CHECK(outputs.files.at("runs.csv").find("\"a, \"\"b\"\"\nc\",1 Gb/s") != std::string::npos);
  CHECK(outputs.files.at("___loss.csv").find("1,\"ring, flat\"\n") != std::string::npos);
}

TEST_CASE("a single run without variants needs no column to tell it apart", "[report]") {
  sim::Run run;
  run.result.series = {sim::Series{"requests", {"request", "arrival_s"}, {{0.0, 0.5}}, {}}};
  CHECK(written({run}).files.at("requests.csv") == "request,arrival_s\n0,0.5\n");
}
