#pragma once
// A scenario that runs in a second at most.

#include <cstddef>
#include <string>

namespace support {

// Four GPUs, two algorithms, two bandwidths: a second at most.
inline std::string small_scenario(const std::string& more_training = "") {
  return R"(name: small
seed: 1
cluster:
  topology: {shape: star, nodes: 4, link: {bandwidth: 10 Gb/s, latency: 25 us}}
  gpu: v100_pcie_16gb
training:
  model: bert_base
  sequence_length: 128
  batch: {micro: 8}
  precision: fp16
  steps: 100
  learning: {objective: layered_quadratic, dimension: 3200, condition: 100, noise: {std: 0.1, shape: curvature, per: worker_step}, target: {relative_gap: 1e-1}}
)" + more_training +
         R"(variants:
  adam:        {training.algorithm: {name: adam, learning_rate: {peak: 0.01, schedule: cosine}}}
  onebit_adam: {training.algorithm: {name: onebit_adam, freeze_step: 50, learning_rate: {peak: 0.01, schedule: cosine}}}
sweep:
  cluster.topology.link.bandwidth: [1 Gb/s, 10 Gb/s]
)";
}

// How often `part` stands in `text`.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

}  // namespace support
