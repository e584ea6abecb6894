#include "models/base/error.hpp"
#include "scenarios/app/catalogue.hpp"

namespace scenarios {

namespace {

constexpr std::string_view training =
    R"(# Run it: ./windtunnel run THIS_FILE.yaml    Any key: ./windtunnel explain training.batch.micro    Names: ./windtunnel list
name: my training
seed: 1
cluster:
  topology:
    shape: star_of_nodes            # nodes with GPUs inside, one switch between them
    nodes: 4
    gpus_per_node: 4
    intra_node: nvlink_v100         # `windtunnel list link`
    inter_node: {bandwidth: 25 Gb/s, latency: 25 us, transport: {name: tcp, flows_per_peer: 8}}   # per direction; change this line to your network
  gpu: v100_sxm2_32gb               # `windtunnel list device`
training:
  model: bert_large                 # `windtunnel list model`
  sequence_length: 128
  batch: {micro: 16}                # samples per GPU; the global batch is micro x GPUs x accumulation
  precision: fp16
  bucket: 25 MiB                    # gradients are exchanged in buckets while the backward pass goes on
  overlap: true
  steps: 1200
  total_steps: 100000               # of the real job, for the projected total time
  learning:                         # without this section only times and memory are simulated, at any scale
    objective: layered_quadratic    # a synthetic problem of stated conditioning, not your model's loss
    dimension: 20480
    condition: 100
    noise: {std: 0.1, shape: curvature, per: worker_step}
    target: {relative_gap: 1e-5}
variants:                           # compared side by side; each overrides keys of the file
  adam:        {training.algorithm: {name: adam, bias_correction: false, learning_rate: {peak: 0.01, schedule: cosine}}}
  onebit_adam: {training.algorithm: {name: onebit_adam, freeze_step: 300, learning_rate: {peak: 0.01, schedule: cosine}}}
sweep:                              # every variant at every value
  cluster.topology.inter_node.bandwidth: [10 Gb/s, 25 Gb/s, 100 Gb/s]
)";

constexpr std::string_view collective =
    R"(# Run it: ./windtunnel run THIS_FILE.yaml    Any key: ./windtunnel explain collective.kind    Names: ./windtunnel list
name: my all-reduce
seed: 1
cluster:
  topology:
    shape: star_of_nodes            # nodes with GPUs inside, one switch between them
    nodes: 8
    gpus_per_node: 8
    intra_node: nvlink_a100         # `windtunnel list link`
    inter_node: infiniband_200g     # change this line to your network
  gpu: a100_sxm4_80gb               # `windtunnel list device`
collective:
  kind: all_reduce
  algorithm: auto                   # `windtunnel list collective`
  data_type: bf16
  sizes: [1 KiB, 1 MiB, 64 MiB, 1 GiB]   # as nccl-tests means them
)";

}  // namespace

std::string_view template_of(std::string_view job) {
  models::ensure(job == "training" || job == "collective", "the command line offers the templates there are");
  return job == "training" ? training : collective;
}

}  // namespace scenarios
