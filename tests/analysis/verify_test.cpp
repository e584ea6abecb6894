#include "analysis/verify/verify.hpp"

#include <catch2/catch.hpp>

#include "analysis/verify/expression.hpp"
#include "models/base/error.hpp"
#include "tests/analysis/sample_runs.hpp"

namespace {

using Kind = sim::Reference::Kind;
using Role = sim::Reference::Role;
using Certainty = sim::Reference::Certainty;

// adam at 10 Gb/s in the sample: 0.125 + 1.04 + 0.05 + 0.012 = 1.227 s
sim::Reference step_time(double published, std::optional<double> tolerance) {
  sim::Reference reference;
  reference.metric = "step_time_s";
  reference.variant = "adam";
  reference.at = {{"inter_node.bandwidth", "1.25 GB/s"}};
  reference.value = published;
  reference.tolerance = tolerance;
  reference.place = "a.yaml:7";
  return reference;
}

sim::Reference order(const std::string& expect, double margin = 0.0) {
  sim::Reference reference = step_time(0.0, {});
  reference.value.reset();
  reference.kind = Kind::order;
  reference.expect = expect;
  reference.margin = margin;
  return reference;
}

analysis::Verification verified(std::vector<sim::Reference> references) {
  sim::ScenarioInfo scenario = sample::scenario();
  scenario.references = std::move(references);
  return analysis::verify(scenario, sample::runs());
}

analysis::VerifyRow only(const sim::Reference& reference) { return verified({reference}).rows.at(0); }

}  // namespace

TEST_CASE("a predicted row is within or off by its relative tolerance", "[verify]") {
  CHECK(only(step_time(1.2, 0.03)).verdict == analysis::Verdict::within);
  const analysis::VerifyRow off = only(step_time(1.2, 0.02));
  CHECK(off.verdict == analysis::Verdict::off);
  CHECK(off.fails);
  CHECK(*off.error == Approx(1.227 / 1.2 - 1.0));
  CHECK_FALSE(verified({step_time(1.2, 0.02)}).passed());
}

TEST_CASE("a row without a tolerance is printed with its error and never fails", "[verify]") {
  for (const std::optional<double> none : {std::optional<double>(), std::optional<double>(0.0)}) {
    const analysis::Verification found = verified({step_time(5.0, none)});
    CHECK(found.rows.at(0).verdict == analysis::Verdict::printed_only);
    CHECK(found.rows.at(0).error.has_value());
    CHECK(found.passed());
    CHECK(analysis::summary(found.counts) ==
          "1 rows: 0 fitted, not counted; 0 predicted, 0 within; naive model 0 within; 1 printed only");
  }
}

TEST_CASE("recalled rows and fitted rows never fail", "[verify]") {
  sim::Reference recalled = step_time(5.0, 0.1), fitted = step_time(5.0, 0.1);
  recalled.certainty = Certainty::recalled;
  fitted.role = Role::fitted;
  CHECK(verified({recalled}).passed());
  CHECK(verified({fitted, step_time(1.2, 0.1), step_time(1.2, 0.1), step_time(1.2, 0.1)}).passed());
}

TEST_CASE("fitted rows that reach a third of all fail the set", "[verify]") {
  sim::Reference fitted = step_time(1.2, 0.1);
  fitted.role = Role::fitted;
  CHECK(verified({fitted, step_time(1.2, 0.1), step_time(1.2, 0.1)}).fitted_too_many);
  CHECK_FALSE(verified({fitted, step_time(1.2, 0.1), step_time(1.2, 0.1), step_time(1.2, 0.1)}).fitted_too_many);
}

TEST_CASE("the summary counts fitted, predicted and naive rows apart", "[verify]") {
  std::vector<sim::Reference> rows;
  for (int i = 0; i < 13; ++i) {
    // The naive step time is 0.99 s: within 5 % of 1.0 s but not of 1.227 s.
    rows.push_back(i < 6 ? step_time(1.0, 0.25) : step_time(1.2, 0.05));
    if (i >= 11) rows.back().role = Role::fitted;
  }
  rows[9].value = rows[10].value = 2.0;
  CHECK(analysis::summary(verified(rows).counts) ==
        "13 rows: 2 fitted, not counted; 11 predicted, 9 within; naive model 6 within");
}

TEST_CASE("a ratio divides the metrics of two variants", "[verify]") {
  sim::Reference ratio = step_time(4.34, 0.01);
  ratio.kind = Kind::ratio;
  ratio.metric = "step_time_s@adam / step_time_s@onebit_adam";
  const analysis::VerifyRow row = only(ratio);
  CHECK(*row.predicted == Approx(1.227 / 0.283));
  CHECK(row.verdict == analysis::Verdict::within);
}

TEST_CASE("an order holds for every comparison of its chain, with its margin", "[verify]") {
  const std::string chain =
      "step_time_s[bandwidth=1 Gb/s] > step_time_s[bandwidth=10 Gb/s] > step_time_s@onebit_adam[bandwidth=10 Gb/s]";
  CHECK(only(order(chain)).verdict == analysis::Verdict::within);
  CHECK(only(order("step_time_s@onebit_adam < 0.3")).verdict == analysis::Verdict::within);
  CHECK(only(order("step_time_s@onebit_adam > step_time_s@adam")).verdict == analysis::Verdict::off);
  CHECK(only(order("step_time_s@adam > step_time_s@onebit_adam", 3.0)).verdict == analysis::Verdict::within);
  CHECK(only(order("step_time_s@adam > step_time_s@onebit_adam", 4.0)).verdict == analysis::Verdict::off);
}

TEST_CASE("a row without a run or a metric says what is missing and fails", "[verify]") {
  sim::Reference nowhere = step_time(1.0, 0.1), misspelt = step_time(1.0, 0.1);
  nowhere.at = {{"bandwidth", "2 Gb/s"}};
  misspelt.metric = "step_times_s";
  CHECK(only(nowhere).problem == "no run of 'adam' at bandwidth = 2 Gb/s");
  CHECK(only(misspelt).problem == "no metric step_times_s, did you mean step_time_s?");
  CHECK(only(nowhere).fails);
  CHECK(only(misspelt).fails);
}

TEST_CASE("a collective row is found by its size", "[verify]") {
  sim::Run run;
  run.result.series.push_back(
      sim::Series{"collective", {"size_B", "bus_bandwidth_Bps"}, {{1024.0, 1.0e8}, {1048576.0, 5e9}}, {}});
  sim::ScenarioInfo scenario;
  sim::Reference reference;
  reference.metric = "bus_bandwidth_Bps";
  reference.at = {{"size", "1 MiB"}};
  reference.value = 5e9;
  reference.tolerance = 0.01;
  scenario.references = {reference};
  CHECK(analysis::verify(scenario, std::vector<sim::Run>{run}).rows.at(0).verdict == analysis::Verdict::within);
}

TEST_CASE("an expression that cannot be read is an error at its row", "[verify]") {
  for (const char* text : {"", "a >", "a@", "a[b", "a[b]", "two words", "a / "}) {
    INFO(text);
    try {
      only(order(text));
      FAIL("no error");
    } catch (const models::Error& error) {
      CHECK(error.diagnostics().front().place.file == "a.yaml");
      CHECK(error.diagnostics().front().place.line == 7);
    }
  }
}

TEST_CASE("amounts are equal whatever unit they are written in", "[verify]") {
  CHECK(analysis::same_amount("10 Gb/s", "1.25 GB/s"));
  CHECK(analysis::same_amount("16", "16.0"));
  CHECK(analysis::same_amount("2 %", "0.02"));
  CHECK_FALSE(analysis::same_amount("10 Gb/s", "10 GB/s"));
  CHECK_FALSE(analysis::same_amount("16", "16 MB"));
}

TEST_CASE("the text of a verification keeps fitted rows apart", "[verify]") {
  sim::Reference fitted = step_time(1.2, 0.1);
  fitted.role = Role::fitted;
  sim::ScenarioInfo scenario = sample::scenario();
  scenario.references = {fitted, step_time(1.2, 0.1), step_time(1.2, 0.01), step_time(1.2, {}),
                         order("step_time_s@adam > step_time_s@onebit_adam")};
  const std::string text = analysis::verify_text(scenario, analysis::verify(scenario, sample::runs()));
  CHECK(text.find("predicted\n") < text.find("fitted: constants were chosen on these rows\n"));
  CHECK(text.find("+2.3 %") != std::string::npos);
  UNSCOPED_INFO(text);
  CHECK(text.find("OFF") != std::string::npos);
  CHECK(text.find("5 rows: 1 fitted, not counted; 3 predicted, 2 within; naive model 1 within; 1 printed only") !=
        std::string::npos);
}
