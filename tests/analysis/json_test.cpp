#include "analysis/report/json.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <sstream>

#include "models/base/error.hpp"
#include "tests/analysis/sample_runs.hpp"

namespace {

std::string result_json(const sim::ScenarioInfo& scenario, const std::vector<sim::Run>& runs) {
  std::ostringstream out;
  analysis::write_json(scenario, runs, out);
  return out.str();
}

std::string message_of(const std::string& text) {
  try {
    analysis::read_result(text, "out/result.json");
  } catch (const models::Error& error) {
    const models::Diagnostic& first = error.diagnostics().front();
    return std::to_string(first.place.line) + ":" + std::to_string(first.place.column) + ": " + first.message;
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

}  // namespace

TEST_CASE("a run survives the pipe with every value, its spans and its text cells", "[report]") {
  sim::Run run = sample::run("onebit_adam", 10.0, (1ULL << 48) - 1);
  run.variant = "a \"quoted\" name\n";
  run.result.status = sim::Status::diverged;
  run.result.status_detail = "gap above 1e6";
  run.result.status_time_s = 0.1 + 0.2;
  run.result.series.push_back(sim::Series{"collective",
                                          {"size_B", "time_s", "algorithm"},
                                          {{1024.0, 1e-300, {}}, {{}, 1.0 / 3.0, {}}},
                                          {{{0, 2}, "ring"}}});
  const std::string text = analysis::run_to_text(run);
  const sim::Run back = analysis::run_from_text(text);
  CHECK(analysis::run_to_text(back) == text);
  CHECK(back.variant == run.variant);
  CHECK(back.seed == run.seed);
  CHECK(back.result.status == sim::Status::diverged);
  CHECK(back.result.status_time_s == 0.1 + 0.2);
  REQUIRE(back.result.metrics.size() == run.result.metrics.size());
  for (std::size_t i = 0; i < run.result.metrics.size(); ++i) {
    CHECK(back.result.metrics[i].name == run.result.metrics[i].name);
    CHECK(back.result.metrics[i].value == run.result.metrics[i].value);
    CHECK(back.result.metrics[i].claim == run.result.metrics[i].claim);
  }
  REQUIRE(back.result.series.size() == 2);
  CHECK(back.result.series[0].rows == run.result.series[0].rows);
  CHECK(back.result.series[1].rows == run.result.series[1].rows);
  CHECK(back.result.series[1].texts == run.result.series[1].texts);
  CHECK(back.result.naive.at(0).value == run.result.naive.at(0).value);
  REQUIRE(back.result.spans.size() == run.result.spans.size());
  CHECK(std::string(back.result.spans[3].name) == "adam \"step\"");
  CHECK(back.result.spans[3].end_s == run.result.spans[3].end_s);
}

TEST_CASE("result.json read back and written again is the same text", "[report]") {
  const std::string text = result_json(sample::scenario(), sample::runs());
  const analysis::Loaded loaded = analysis::read_result(text, "result.json");
  CHECK(loaded.runs.size() == 8);
  CHECK(loaded.scenario.references.at(0).tolerance == 0.1);
  CHECK(result_json(loaded.scenario, loaded.runs) == text);
}

TEST_CASE("what is not a number is null in result.json and nothing when read", "[report]") {
  sim::Run run = sample::run("adam", 1.0);
  run.result.metrics = {{"final_gap", std::numeric_limits<double>::infinity(), sim::Claim::ratio},
                        {"cost_usd", std::nan(""), sim::Claim::value},
                        {"steps", 1200.0, sim::Claim::value},
                        {"share", -0.0, sim::Claim::value}};
  const std::string text = result_json(sample::scenario(), {run});
  CHECK(text.find(R"("metrics": {"final_gap":null,"cost_usd":null,"steps":1200,"share":-0.0})") != std::string::npos);
  const analysis::Loaded loaded = analysis::read_result(text, "result.json");
  CHECK_FALSE(loaded.runs.at(0).result.metrics.at(0).value.has_value());
}

TEST_CASE("a reader of results ignores keys that it does not know", "[report]") {
  const std::string text =
      replaced(result_json(sample::scenario(), sample::runs()), "\"runs\":", "\"colour\": \"blue\", \"runs\":");
  CHECK(analysis::read_result(text, "result.json").runs.size() == 8);
}

TEST_CASE("a file that is not a result says where and why", "[report]") {
  const std::string good = result_json(sample::scenario(), {sample::run("adam", 1.0)});
  CHECK(message_of("") == "1:1: this is not JSON");
  CHECK(message_of("{\"schema\": 1,\n  oops}") == "2:3: this is not JSON");
  CHECK(message_of("[1]") == "0:0: the file is not a mapping with the key 'schema'");
  CHECK(message_of("{\"schema\": 2}") == "0:0: schema 2 is not known");
  CHECK(message_of("{\"schema\": 1}") == "0:0: the file is not a mapping with the key 'scenario'");
  CHECK(message_of(replaced(good, "\"status\": \"completed\"", "\"status\": \"fine\"")) ==
        "0:0: runs[0].status is not one of completed, diverged, deadlocked, time_limit, out_of_memory, interrupted, "
        "crashed");
  CHECK(message_of(replaced(good, "\"optimizer_s\":0.012", "\"optimizer_s\":\"0.012\"")) ==
        "0:0: runs[0].metrics.optimizer_s is not a number");
  CHECK(message_of(replaced(good, "[0,0,1", "[0,0,1,5")) == "0:0: runs[0].series.loss.rows[0] is not a row of 3 cells");
  CHECK(message_of(good.substr(0, good.size() / 2)).find("this is not JSON") != std::string::npos);
}
