#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analysis/page/assets.hpp"
#include "analysis/page/view.hpp"
#include "tests/analysis/memory_outputs.hpp"
#include "tests/analysis/sample_runs.hpp"

namespace {

std::string page_of(const sim::ScenarioInfo& scenario, const std::vector<sim::Run>& runs) {
  MemoryOutputs outputs;
  analysis::find_report("html")->write(scenario, runs, outputs);
  return outputs.files.at("report.html");
}

nlohmann::json view_of(const std::vector<sim::Run>& runs) {
  return nlohmann::json::parse(analysis::chart_data(runs, analysis::verify(sample::scenario(), runs)));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the page holds its script and style and loads nothing", "[report]") {
  const std::string page = page_of(sample::scenario(), sample::runs());
  CHECK(contains(page, std::string(analysis::page_style())));
  CHECK_FALSE(contains(page, " src="));
  CHECK_FALSE(contains(page, "<link"));
  if (analysis::chart_js().empty())
    CHECK(contains(page, "built without Chart.js"));
  else
    CHECK(contains(page, std::string(analysis::chart_js())));
}

TEST_CASE("the page shows results, published rows, claims, constants and what is not modelled", "[report]") {
  const std::string page = page_of(sample::scenario(), sample::runs());
  CHECK(contains(page, "8.0x to target = 9.7x per step (timing, mean to it) x 0.82 (steps, synthetic)"));
  CHECK(contains(page, "1 rows: 0 fitted, not counted; 1 predicted, 0 within; naive model 0 within"));
  CHECK(contains(page, "ratios between variants may be quoted"));
  CHECK(contains(page, "flow_ceiling"));
  CHECK(contains(page, "congestion on the switch backplane"));
}

TEST_CASE("no name of a user becomes markup", "[report]") {
  const std::string evil = "</script><script>alert('x')</script><img src=x onerror=y>&\"";
  sim::ScenarioInfo scenario = sample::scenario();
  scenario.name = scenario.description = scenario.source = scenario.file = scenario.sha256 = evil;
  scenario.references.front().source = evil;
  sim::Run run = sample::run("adam", 1.0);
  run.variant = run.point.front().text = run.point.front().key = evil;
  run.result.warnings = {evil};
  run.result.links.front().link = run.result.memory.front().category = run.result.plane.axis = evil;
  run.result.constants.front().name = run.result.not_modelled.front().effect = evil;
  const std::string page = page_of(scenario, {run});
  CHECK_FALSE(contains(page, "<script>alert"));
  CHECK_FALSE(contains(page, "<img"));
  CHECK(contains(page, "&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"));
}

TEST_CASE("curves are thinned to 1000 points and keep their extremes", "[report]") {
  sim::Run run = sample::run("adam", 1.0);
  sim::Series& loss = run.result.series.front();
  loss.rows.clear();
  for (int s = 0; s < 50000; ++s)
    loss.rows.push_back({double(s), 0.5 * s, s == 31337 ? 100.0 : s == 41000 ? 1e-9 : 1.0});
  const nlohmann::json view = view_of({run});
  const nlohmann::json& gaps = view["runs"][0]["curves"][0]["gap"];
  CHECK(gaps.size() <= 1000);
  CHECK(std::find(gaps.begin(), gaps.end(), nlohmann::json(100.0)) != gaps.end());
  CHECK(std::find(gaps.begin(), gaps.end(), nlohmann::json(1e-9)) != gaps.end());
  CHECK(view["runs"][0]["curves"][0]["step"].front() == 0.0);
  CHECK(view["runs"][0]["curves"][0]["step"].back() == 49999.0);
}

TEST_CASE("the parts of a step drawn add up to the step", "[report]") {
  const nlohmann::json view = view_of(sample::runs());
  for (const nlohmann::json& run : view["runs"]) {
    double sum = 0.0;
    for (const nlohmann::json& part : run["parts"]) sum += part[1].get<double>();
    CHECK(sum == Approx(run["metrics"]["step_time_s"][0].get<double>()).epsilon(1e-5));
  }
}

TEST_CASE("a published value is placed on its variant and point", "[report]") {
  const nlohmann::json view = view_of(sample::runs());
  const nlohmann::json& reference = view["references"][0];
  CHECK(reference["metric"] == "step_time_s");
  CHECK(reference["places"] == nlohmann::json::parse("[[0, 1]]"));
  CHECK(view["points"][1]["text"] == "10 Gb/s");
}
