#pragma once
// Runs as the quickstart gives them: two optimizers at four bandwidths, with a learning curve, memory, links and a
// trace.

#include <cmath>
#include <string>
#include <vector>

#include "sim/result/run.hpp"

namespace sample {

inline sim::ScenarioInfo scenario() {
  sim::ScenarioInfo info;
  info.name = "1-bit Adam on commodity Ethernet";
  info.file = "scenarios/quickstart.yaml";
  info.sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  info.description = "BERT-Large on 64 V100 behind slow Ethernet";
  info.source = "Tang et al., 1-bit Adam, ICML 2021";
  sim::Reference reference;
  reference.metric = "step_time_s";
  reference.variant = "adam";
  reference.at = {{"cluster.topology.inter_node.bandwidth", "10 Gb/s"}};
  reference.value = 1.45;
  reference.value_text = "1.45 s";
  reference.tolerance = 0.1;
  reference.source = "profiling table";
  reference.place = "scenarios/quickstart.yaml:30";
  info.references.push_back(reference);
  return info;
}

inline sim::Run run(const std::string& variant, double gigabits, std::uint64_t seed = 1) {
  const bool compressed = variant == "onebit_adam";
  sim::Run run;
  run.variant = variant;
  run.seed = seed;
  run.point.push_back(sim::PointValue{"cluster.topology.inter_node.bandwidth",
                                      std::to_string(static_cast<int>(gigabits)) + " Gb/s", gigabits * 1.25e8, "B/s"});
  sim::Result& result = run.result;
  const double compute = 0.125, communication = (compressed ? 0.9 : 10.4) / gigabits + 0.05,
               codec = compressed ? 0.006 : 0.0;
  const double step = compute + communication + codec + 0.012;
  const double steps_to_target = compressed ? 980.0 : 805.0 + 2.0 * static_cast<double>(seed);
  result.metrics = {
      {"step_time_s", step, sim::Claim::value},
      {"forward_s", 0.04, sim::Claim::value},
      {"backward_s", 0.085, sim::Claim::value},
      {"communication_s", communication + 0.03, sim::Claim::value},
      {"exposed_communication_s", communication, sim::Claim::value},
      {"codec_s", codec, sim::Claim::value},
      {"optimizer_s", 0.012, sim::Claim::value},
      {"throughput_samples_per_s", 1024.0 / step, sim::Claim::value},
      {"throughput_tokens_per_s", 131072.0 / step, sim::Claim::value},
      {"model_flops_utilization", 0.31 * compute / step, sim::Claim::value},
      {"wire_B_per_step_per_rank", compressed ? 8.4e7 : 1.3e9, sim::Claim::value},
      {"peak_memory_B", compressed ? 1.18e10 : 1.05e10, sim::Claim::value},
      {"final_gap", (compressed ? 4.1e-5 : 3.4e-5) * (1.0 + 0.01 * static_cast<double>(seed)), sim::Claim::ratio},
      {"consensus_distance", {}, sim::Claim::ratio},
      {"steps_to_target", steps_to_target, sim::Claim::ratio},
      {"time_to_target_s", steps_to_target * step, sim::Claim::ratio},
      {"projected_total_time_s", 118000.0 * step, sim::Claim::value}};
  result.naive = {{"step_time_s", 9.9 / gigabits * (compressed ? 0.09 : 1.0), sim::Claim::value}};
  sim::Series loss{"loss", {"step", "time_s", "gap"}, {}, {}};
  for (int s = 0; s <= 1200; s += 1)
    loss.rows.push_back(
        {double(s), s * step, std::exp(-s / (compressed ? 115.0 : 108.0)) + 3e-5 * (1.0 + 0.2 * std::sin(s * 0.7))});
  result.series.push_back(loss);
  result.memory = {{"0-63", "weights", 6.7e8},     {"0-63", "master_weights", 1.35e9},
                   {"0-63", "gradients", 6.7e8},   {"0-63", "optimizer_state", 2.7e9},
                   {"0-63", "activations", 4.6e9}, {"0-63", "framework_reserved", 7e8}};
  if (compressed) result.memory.push_back({"0-63", "error_feedback", 1.4e9});
  for (int i = 0; i < 24; ++i)
    result.links.push_back(sim::LinkUse{"node" + std::to_string(i % 16) + (i < 16 ? ".nic.up" : ".pcie"),
                                        1.6e12 - i * 4e10, 0.93 - 0.03 * i});
  result.bytes = {1.5e12, 1.5e12, 0.0, 0.0};
  result.network = {{"all_reduce", "ring", "collapsed", 1.0}};
  result.events = 123456;
  result.flows = 4321;
  result.constants = {{"goodput", 0.94, "", "", "TCP over Ethernet framing"},
                      {"flow_ceiling", 6.0e8, "B/s", "iperf on 40 GbE", "1-bit Adam, section 7"}};
  result.plane = {336226108, 20480, "free", "gap of layered_quadratic, d = 20,480 (not the loss of bert_large)"};
  result.warnings = {"the flow ceiling, not the link, binds at 100 Gb/s"};
  result.not_modelled = {
      {"congestion on the switch backplane", "optimistic", "below 2 %", "non-blocking switch assumed"}};
  for (int rank = 0; rank < 4; ++rank) {
    result.spans.push_back(sim::Span{rank, 0, "forward", 0.0, 0.04});
    result.spans.push_back(sim::Span{rank, 0, "backward", 0.04, 0.125});
    result.spans.push_back(sim::Span{rank, 1, "gradient", 0.125, 0.125 + communication});
    result.spans.push_back(sim::Span{rank, 0, "adam \"step\"", step - 0.012, step});
  }
  return run;
}

inline std::vector<sim::Run> runs() {
  std::vector<sim::Run> all;
  for (const char* variant : {"adam", "onebit_adam"})
    for (const double gigabits : {1.0, 10.0, 25.0, 100.0}) all.push_back(run(variant, gigabits));
  return all;
}

}  // namespace sample
