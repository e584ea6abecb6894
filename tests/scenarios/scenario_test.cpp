#include "scenarios/reader/scenario.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <variant>

#include "models/base/units.hpp"

using namespace models::literals;

namespace {

const std::string cluster =
    "cluster:\n  topology: {shape: star, nodes: 4, link: ethernet_10g_tcp}\n  gpu: v100_sxm2_16gb\n";
const std::string training = "training:\n  model: bert_base\n  batch: {micro: 8}\n  steps: 10\n  algorithm: adam\n";

// Written under its own name: CTest runs cases side by side.
scenarios::Scenario read(const std::string& name, const std::string& text, const scenarios::Overrides& overrides = {}) {
  const std::string path = BINARY_DIR "/scenario_" + name + ".yaml";
  std::ofstream(path) << text;
  return scenarios::read(path, overrides);
}
const sim::TrainingJob& job(const scenarios::Point& point) { return std::get<sim::TrainingJob>(point.job); }

// The quickstart of the design, word for word.
const char* const quickstart = R"(name: 1-bit Adam on commodity Ethernet
source: "Tang et al., 1-bit Adam, ICML 2021"
seed: 1
cluster:
  topology: {shape: star_of_nodes, nodes: 16, gpus_per_node: 4, intra_node: pcie3_x16_host_staged, inter_node: {bandwidth: 10 Gb/s, latency: 25 us, transport: {name: tcp, flows_per_peer: 8}}}
  gpu: v100_pcie_16gb
training:
  model: bert_large
  sequence_length: 128
  batch: {micro: 16}                       # global = micro x data-parallel ranks x accumulation; give `global` and accumulation is derived
  precision: fp16
  steps: 1200
  total_steps: 118000                      # the real job, for the projected total time
  learning: {objective: layered_quadratic, dimension: 20480, condition: 100, noise: {std: 0.1, shape: curvature, per: worker_step}, target: {relative_gap: 1e-4}}
variants:
  adam:        {training.algorithm: {name: adam, learning_rate: {peak: 0.01, schedule: cosine}}}
  onebit_adam: {training.algorithm: {name: onebit_adam, freeze_step: 300, learning_rate: {peak: 0.01, schedule: cosine}}}
sweep:
  cluster.topology.inter_node.bandwidth: [1 Gb/s, 10 Gb/s, 25 Gb/s, 100 Gb/s]
)";

}  // namespace

TEST_CASE("the quickstart is two variants at four bandwidths", "[scenario]") {
  const scenarios::Scenario scenario = read("quickstart", quickstart);
  REQUIRE(scenario.points.size() == 8);
  CHECK(scenario.outputs == std::vector<std::string>{"text", "json", "csv", "html"});
  CHECK(scenario.info.source == "Tang et al., 1-bit Adam, ICML 2021");
  const scenarios::Point& first = scenario.points[0];
  CHECK(first.variant == "adam");
  CHECK(first.at[0].value == (1_Gbps).value);
  CHECK(scenario.points[3].at[0].text == "100 Gb/s");
  CHECK(scenario.points[4].variant == "onebit_adam");
  CHECK(first.cluster.hosts == 64);
  CHECK(job(first).steps == 1200);
  CHECK(job(first).total_steps == 118000);
  CHECK(job(first).bucket == 25_MiB);
  CHECK(job(first).overlap);
  CHECK(job(first).precision == models::Precision::fp16);
  CHECK(job(first).learning->dimension == 20480);
  CHECK(job(first).learning->target_relative_gap == 1e-4);
  CHECK(job(scenario.points[4]).algorithm_name == "onebit_adam");
  CHECK(first.numeric_key == scenario.points[3].numeric_key);  // the bandwidth changes no number of the synchronous job
  CHECK(first.numeric_key != scenario.points[4].numeric_key);
  CHECK(first.cluster.key != scenario.points[1].cluster.key);
  CHECK(first.cluster.key == scenario.points[4].cluster.key);
}

TEST_CASE("file, variant, sweep point, --set apply in this order", "[scenario]") {
  const std::string text =
      cluster + training +
      "variants:\n  a: {training.steps: 20, training.batch.micro: 2}\n  b: {}\nsweep:\n  training.steps: [30]\n";
  const scenarios::Scenario swept = read("order", text);
  CHECK(job(swept.points[0]).steps == 30);
  CHECK(job(swept.points[0]).micro_batch == 2);
  CHECK(job(swept.points[1]).micro_batch == 8);
  scenarios::Overrides overrides;
  overrides.set = {"training.steps=40", "training.batch.micro=5"};
  const scenarios::Scenario set = read("order", text, overrides);
  REQUIRE(set.points.size() == 2);
  CHECK(set.points[0].at.empty());
  CHECK(job(set.points[0]).steps == 40);
  CHECK(job(set.points[0]).micro_batch == 5);
}

TEST_CASE("an override of a whole value drops the entries it had", "[scenario]") {
  const std::string onebit = "training.algorithm={name: onebit_adam, freeze_step: 3}";
  scenarios::Overrides overrides;
  overrides.set = {onebit, "training.algorithm={name: adam}"};
  CHECK(job(read("whole", cluster + training, overrides).points[0]).algorithm_name == "adam");
  overrides.set = {onebit, "training.algorithm.name=adam"};
  CHECK_THROWS_WITH(read("whole", cluster + training, overrides),
                    Catch::Contains("key 'freeze_step' is not known in 'training.algorithm'"));
}

TEST_CASE("options --only, --point and --seed choose", "[scenario]") {
  scenarios::Overrides overrides;
  overrides.only = {"onebit_adam"};
  overrides.at = {"cluster.topology.inter_node.bandwidth=1000 Mb/s"};
  overrides.seed = 7;
  const scenarios::Scenario scenario = read("choose", quickstart, overrides);
  REQUIRE(scenario.points.size() == 1);
  CHECK(scenario.points[0].variant == "onebit_adam");
  CHECK(scenario.points[0].at[0].text == "1 Gb/s");
  CHECK(scenario.points[0].seed == 7);
}

TEST_CASE("repeats run seeds in a row", "[scenario]") {
  const scenarios::Scenario scenario = read("repeats", "seed: 5\nrepeats: 3\n" + cluster + training);
  REQUIRE(scenario.points.size() == 3);
  CHECK(scenario.points[2].seed == 7);
  CHECK(scenario.points[0].numeric_key != scenario.points[1].numeric_key);
}

TEST_CASE("a variant may expect another end", "[scenario]") {
  const scenarios::Scenario scenario =
      read("expect", cluster + training + "variants:\n  good: {}\n  bad: {expect.status: diverged}\n");
  CHECK(scenario.points[0].expected == sim::Status::completed);
  CHECK(scenario.points[1].expected == sim::Status::diverged);
}

TEST_CASE("a name in the file can be opened by a deeper sweep", "[scenario]") {
  const scenarios::Scenario scenario =
      read("opened", cluster + training + "sweep:\n  cluster.topology.link.bandwidth: [1 Gb/s, 2 Gb/s]\n");
  REQUIRE(scenario.points.size() == 2);
  CHECK(scenario.points[0].cluster.key != scenario.points[1].cluster.key);
}

TEST_CASE("a collective takes sizes one by one or as a range", "[scenario]") {
  const auto sizes = [](const std::string& text) {
    return std::get<sim::CollectiveJob>(
               read("collective",
                    cluster + "collective: {kind: all_reduce, algorithm: ring, data_type: bf16, sizes: " + text + "}\n")
                   .points[0]
                   .job)
        .sizes;
  };
  CHECK(sizes("[1 KiB, 16 MiB, 1 GiB]") == std::vector<models::Bytes>{1_KiB, 16_MiB, 1_GiB});
  CHECK(sizes("{from: 8 B, to: 8 GiB, factor: 2}").size() == 31);
}

TEST_CASE("published numbers are read with their point", "[scenario]") {
  const scenarios::Scenario scenario = read("reference", cluster + training + R"(reference:
  - {metric: communication_s, at: {variant: adam, training.batch.micro: 16}, value: 2.27543 s, tolerance: 10 %, kind: value, role: fitted, certainty: read, source: "1-bit Adam, profiling table"}
  - {kind: order, expect: "step_time_s@adam > step_time_s@onebit_adam", margin: 5 %, source: "1-bit Adam, figure 5"}
)");
  REQUIRE(scenario.info.references.size() == 2);
  const sim::Reference& first = scenario.info.references[0];
  CHECK(first.value == 2.27543);
  CHECK(first.tolerance == 0.1);
  CHECK(first.variant == "adam");
  CHECK(first.at == std::vector<std::pair<std::string, std::string>>{{"training.batch.micro", "16"}});
  CHECK(first.role == sim::Reference::Role::fitted);
  CHECK(scenario.info.references[1].margin == 0.05);
}

TEST_CASE("every preset reads without complaint", "[scenario]") {
  for (const std::string& model : scenarios::presets().names("architecture")) {
    INFO(model);
    CHECK_NOTHROW(
        read("presets", cluster + "training: {model: " + model + ", batch: {micro: 1}, steps: 1, algorithm: adam}\n"));
  }
  for (const std::string& device : scenarios::presets().names("device")) {
    INFO(device);
    CHECK_NOTHROW(
        read("presets", "cluster: {topology: {shape: star, nodes: 2, link: wan}, gpu: " + device + "}\n" + training));
  }
  for (const std::string& link : scenarios::presets().names("link")) {
    INFO(link);
    CHECK_NOTHROW(
        read("presets", "cluster: {topology: {shape: star, nodes: 2, link: " + link + "}, gpu: t4_16gb}\n" + training));
  }
}
