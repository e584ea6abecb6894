#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/program/direct_exchange.hpp"
#include "sim/program/group_links.hpp"
#include "sim/program/memory.hpp"
#include "sim/program/program.hpp"

namespace sim {
namespace {

using models::MemoryCategory;

// nvidia-smi after the first kernel has run, before any tensor (Hugging Face Transformers, Model training anatomy: 1343
// MiB).
constexpr Bytes default_framework_reserved{1343.0 * 1048576.0};

PassTimes pass_times(const TrainingJob& job, const models::StepPlan& plan, const models::Device& device) {
  PassTimes times;
  times.step_overhead = device.step_overhead;
  for (const models::LayerWork& layer : plan.layers) {
    times.forward.push_back(models::forward_time(layer, device, job.cost_model));
    times.backward.push_back(models::backward_time(layer, device, job.cost_model));
  }
  if (job.forward_overhead && !times.forward.empty()) times.forward.front() += *job.forward_overhead;
  return times;
}

std::int64_t derived_accumulation(const TrainingJob& job, int ranks) {
  if (!job.global_batch) return job.accumulation;
  const std::int64_t unit = job.micro_batch * ranks, wanted = job.global_batch->value;
  if (wanted >= unit && wanted % unit == 0) return wanted / unit;
  const std::int64_t below = wanted / unit * unit, above = below + unit;
  throw models::Error(job.global_batch->place,
                      fmt::format("a global batch of {} is not a multiple of micro x ranks = {} x {} = {}", wanted,
                                  job.micro_batch, ranks, unit),
                      below > 0 ? fmt::format("nearest: {} or {}", below, above) : fmt::format("nearest: {}", above));
}

void check_precision(const TrainingJob& job, const topologies::World& world) {
  for (const models::Device& device : world.devices) {
    if (device.peak[static_cast<std::size_t>(job.precision)].value > 0.0) continue;
    std::string known;
    for (std::size_t i = 0; i < std::size(models::precision_names); ++i)
      if (device.peak[i].value > 0.0) known += (known.empty() ? "" : ", ") + std::string(models::precision_names[i]);
    throw models::Error(job.precision_place.line > 0 ? job.precision_place : job.place,
                        fmt::format("{} has no {} arithmetic", device.name,
                                    models::precision_names[static_cast<std::size_t>(job.precision)]),
                        "precisions it has: " + known);
  }
}

void check_algorithm(const TrainingJob& job, int ranks, std::vector<std::string>& warnings) {
  const models::AlgorithmSpec& spec = job.algorithm.value;
  if (!spec.check) return;
  std::vector<models::Diagnostic> errors;
  for (const models::AlgorithmSpec::Finding& finding :
       spec.check(ranks, job.learning ? job.learning->dimension : 0, job.steps,
                  job.learning ? job.learning->chunking : Chunking::automatic)) {
    const std::string message = finding.key.empty() ? finding.message : finding.key + ": " + finding.message;
    if (finding.error)
      errors.push_back({job.algorithm.place, message, finding.hint});
    else
      warnings.push_back(finding.hint.empty() ? message : message + "; " + finding.hint);
  }
  if (!errors.empty()) throw models::Error(std::move(errors));
}

std::string remedy(MemoryCategory heaviest, const TrainingJob& job) {
  const bool grows_with_batch = heaviest == MemoryCategory::activations || heaviest == MemoryCategory::logits ||
                                heaviest == MemoryCategory::workspace;
  if (!grows_with_batch)
    return "take a device with more memory, a smaller model or an algorithm with less state; --allow-oom goes on "
           "regardless";
  std::string hint;
  if (job.micro_batch > 1) hint += "lower batch.micro (accumulation keeps the global batch), ";
  if (job.recompute != models::Recompute::full) hint += "set recompute: full, ";
  return hint + "take a device with more memory; --allow-oom goes on regardless";
}

// The smallest device decides: all ranks hold the same.
void check_memory(const TrainingProgram& program, const MemoryLedger& ledger, const topologies::World& world,
                  OnOutOfMemory policy, std::vector<std::string>& warnings) {
  const models::Device* smallest = &world.device_of(0);
  for (int host = 1; host < program.group.size(); ++host)
    if (world.device_of(host).memory < smallest->memory) smallest = &world.device_of(host);
  if (Bytes{program.peak_memory_B} <= smallest->memory) return;

  const MemoryBytes& held = ledger.composition();
  const std::size_t heaviest = static_cast<std::size_t>(std::max_element(held.begin(), held.end()) - held.begin());
  const std::string message =
      fmt::format("a rank needs {} at its peak, {} has {}: {} too little; most of it is {}, {}",
                  models::text(Bytes{program.peak_memory_B}), smallest->name, models::text(smallest->memory),
                  models::text(Bytes{program.peak_memory_B} - smallest->memory),
                  models::memory_category_names[heaviest], models::text(Bytes{held[heaviest]}));
  const std::string hint = remedy(static_cast<MemoryCategory>(heaviest), program.job);
  if (policy == OnOutOfMemory::refuse) throw models::Error(program.job.memory_place, message, hint);
  warnings.push_back("memory: " + message + "; this run could not start on such a device");
}

std::string mebibytes(Bytes amount) { return fmt::format("{:.4g} MiB", amount / Bytes{1048576.0}); }

// Buckets are whole layers: below the size of most layers, the bucket size changes little or nothing.
void warn_of_large_layers(const TrainingProgram& program, std::vector<std::string>& warnings) {
  const Bytes element = models::element_size(program.job.precision), bucket = program.job.bucket;
  const auto size = [element](std::int64_t parameters) { return static_cast<double>(parameters) * element; };
  std::int64_t beyond = 0, layers = 0;
  Bytes in_large{};
  for (const models::LayerSlice& layer : program.layout.layers) {
    layers += layer.full_parameters > 0;
    if (size(layer.full_parameters) <= bucket) continue;
    ++beyond;
    in_large += size(layer.full_parameters);
  }
  if (in_large < 0.5 * size(program.layout.full_parameters)) return;
  const auto fuller = [](const models::Bucket& a, const models::Bucket& b) {
    return a.full_parameters < b.full_parameters;
  };
  const auto [smallest, largest] =
      std::minmax_element(program.layout.buckets.begin(), program.layout.buckets.end(), fuller);
  warnings.push_back(fmt::format(
      "training.bucket: a bucket never splits a layer, and {} of {} layers are larger than {}: gradients go in {} "
      "{} of {} to {}{}",
      beyond, layers, mebibytes(bucket), program.layout.buckets.size(),
      program.layout.buckets.size() == 1 ? "bucket" : "buckets", mebibytes(size(smallest->full_parameters)),
      mebibytes(size(largest->full_parameters)),
      static_cast<std::int64_t>(program.layout.buckets.size()) == layers ? "; a smaller bucket changes nothing" : ""));
}

}  // namespace

Bytes framework_reserved(const models::Device& device) {
  for (const models::Device::Constant& constant : device.constants)
    if (constant.name == "device.framework_reserved") return Bytes{constant.value};
  return default_framework_reserved;
}

TrainingProgram plan_training(const TrainingJob& job, const topologies::World& world, OnOutOfMemory policy,
                              std::vector<std::string>& warnings) {
  const int ranks = world.fabric.host_count();
  models::ensure(ranks > 0 && job.steps > 0 && job.micro_batch > 0, "a training job has ranks, steps and samples");
  if (const auto lossy = lossy_for_good(world))
    throw models::Error(job.algorithm.place,
                        fmt::format("algorithm '{}' sums over several hops, but {}", job.algorithm_name, *lossy),
                        fmt::format("send again: transport: tcp; as a collective: job, direct exchanges can bear the "
                                    "loss: {}",
                                    direct_exchanges()));
  check_precision(job, world);
  check_algorithm(job, ranks, warnings);

  TrainingProgram program;
  program.job = job;
  program.group = group_of(world, ranks);
  check_protocol(job.library.protocol.value, program.group, world.fabric, job.library.protocol.place);
  program.accumulation = derived_accumulation(job, ranks);
  program.global_batch = job.micro_batch * ranks * program.accumulation;
  program.step_plan = job.model->step_plan({job.micro_batch, job.sequence_length}, job.precision, job.recompute);
  for (const models::Device& device : world.devices)
    program.times.push_back(pass_times(job, program.step_plan, device));

  std::vector<std::pair<std::string, std::int64_t>> layers;
  for (const models::LayerWork& layer : program.step_plan.layers) layers.emplace_back(layer.name, layer.parameters);
  program.layout = models::layout(layers, job.learning ? job.learning->dimension : 0, job.bucket,
                                  models::element_size(job.precision));
  if (job.learning) program.layout.chunking = job.learning->chunking;
  if (ranks > 1) warn_of_large_layers(program, warnings);

  Bytes reserved{};
  for (const models::Device& device : world.devices) reserved = std::max(reserved, framework_reserved(device));
  models::Layout timed = program.layout;  // buffers are those of the full model: no numeric vector is made for them
  timed.numeric_parameters = 0;
  const auto algorithm = job.algorithm.value.make(timed, ranks, job.steps);
  program.buffers = rank_buffers(job, program.step_plan, algorithm->buffers(program.layout, program.group), reserved);
  StepMemory memory(program.step_plan, program.buffers);
  memory.begin_run();
  walk_step(memory, program.layout, program.step_plan, program.accumulation);
  program.memory = memory_entries(memory.ledger(), ranks == 1 ? "0" : fmt::format("0-{}", ranks - 1));
  program.peak_memory_B = memory.ledger().peak();
  check_memory(program, memory.ledger(), world, policy, warnings);
  return program;
}

}  // namespace sim
