#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/collective/collective.hpp"
#include "scenarios/reader/readers.hpp"

namespace scenarios {
namespace {

using models::Bytes;
using models::Located;
using models::Params;
using models::Range;

constexpr Range one_or_more{1.0, 1e12};
constexpr Bytes default_bucket{
    25.0 * 1048576.0};  // PyTorch DistributedDataParallel, bucket_cap_mb = 25 (Li et al., VLDB 2020)

std::optional<Located<std::int64_t>> optional_count(Params& params, std::string_view key, Range range,
                                                    std::string_view help) {
  if (!params.has(key)) return std::nullopt;
  return Located<std::int64_t>{params.count(key, range, help), params.place(key)};
}

void read_model(Params& training, TrainingSection& section) {
  sim::TrainingJob& job = section.job;
  Params model = training.preset("model", "architecture", "what is trained: a preset or its dimensions");
  section.sequence_length =
      optional_count(training, "sequence_length", {1.0, 1e7}, "tokens per sample; default: the model's own");
  job.model = models::read_architecture(model);
  if (!job.model) return;
  job.sequence_length = section.sequence_length ? section.sequence_length->value : job.model->default_sequence_length();
}

void read_batch(Params& training, sim::TrainingJob& job) {
  Params batch = training.section("batch", "samples per step");
  job.micro_batch = batch.count("micro", {1.0, 1e9}, "samples per rank and pass");
  job.memory_place = batch.place("micro");
  job.global_batch = optional_count(
      batch, "global", one_or_more,
      "samples per step over all ranks; accumulation is then derived; default: micro x ranks x accumulation");
  const bool both = !training.describing() && training.has("accumulation") && job.global_batch;
  job.accumulation = training.count("accumulation", {1.0, 1e6}, "micro-batches per step and rank", 1);
  if (both)
    training.report("accumulation", "'batch.global' and 'accumulation' are both given",
                    "give one: the other follows from it");
}

// Only data parallelism is in this version: other widths are read, so that they can be refused by name.
std::optional<Located<std::int64_t>> read_parallelism(Params& training) {
  std::optional<Params> parallelism =
      training.optional_section("parallelism", "how the model and the batch are split over ranks");
  if (!parallelism) return std::nullopt;
  std::optional<Located<std::int64_t>> data;
  const std::string text = parallelism->text("data", "data-parallel ranks: auto or a count", "auto");
  if (text != "auto" && !training.describing())
    data = Located<std::int64_t>{parallelism->count("data", one_or_more, "", 1), parallelism->place("data")};
  const auto refuse = [&](std::string_view key, const std::string& value) {
    parallelism->report(key, fmt::format("'{}' is {}, but this version has data parallelism only", key, value),
                        fmt::format("leave '{}' out", key));
  };
  constexpr std::pair<std::string_view, std::string_view> widths[] = {
      {"tensor", "ranks that share each layer"},
      {"pipeline", "stages of layers"},
      {"virtual_pipeline", "interleaved stages per rank"},
      {"context", "ranks that share a sequence"},
      {"expert", "ranks that share the experts"}};
  for (const auto& [key, help] : widths) {
    const std::int64_t width = parallelism->count(key, {1.0, 1e6}, fmt::format("{}; this version: 1", help), 1);
    if (width > 1) refuse(key, std::to_string(width));
  }
  const std::int64_t stage =
      parallelism->count("zero_stage", {0.0, 3.0}, "ZeRO stage of sharded states; this version: 0", 0);
  if (stage > 0) refuse("zero_stage", std::to_string(stage));
  if (parallelism->flag("sequence_parallel", "split norms and dropout along the sequence; this version: false", false))
    refuse("sequence_parallel", "true");
  return data;
}

// A data file lies relative to the scenario that names it.
std::string text_of(const models::Place& scenario, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(scenario.file).parent_path() / name;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw models::Error(scenario, fmt::format("the file '{}' cannot be read", path.string()),
                        "a data file is looked for beside the scenario");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void read_learning(Params& training, sim::TrainingJob& job) {
  std::optional<Params> section = training.optional_section(
      "learning", "loss curves on a synthetic problem; without it only times and memory are simulated");
  if (!section) return;
  sim::Learning learning;
  learning.objective = section->plugin_beside("objective", models::objectives(), "the problem that is minimised");
  learning.objective.make = [make = learning.objective.make,
                             scenario = section->place()](models::ObjectiveWorld world) {
    world.read_text = [&scenario](const std::string& file) { return text_of(scenario, file); };
    return make(world);
  };
  learning.dimension = learning.objective.dimension;
  learning.dimension_place = section->place("dimension");
  if (std::optional<Params> target = section->optional_section("target", "when the problem counts as solved"))
    learning.target_relative_gap =
        target->number("relative_gap", {0.0, 1.0, Range::Ends::open},
                       "(f(mean x) - f*) / (f(x0) - f*), stays below for 2 % of the steps or 10 evaluations");
  learning.evaluate_every =
      section->count("evaluate_every", one_or_more, "steps between two evaluations of the noise-free loss", 1);
  learning.diverged_above = section->number("diverged_above", {1.0, 1e300, Range::Ends::open_low},
                                            "relative gap that counts as exploding", learning.diverged_above);
  constexpr std::string_view names[] = {"automatic", "padded", "proportional"};
  learning.chunking = static_cast<sim::Chunking>(section->choice(
      "chunking", names, "how the numeric vector is cut among ranks; automatic: proportional above 64 ranks", 0));
  job.learning = std::move(learning);
}

// A learning rate has no default when `learning:` is present.
void require_learning_rate(Params& training, const models::Node& algorithm) {
  if (algorithm.kind == models::NodeKind::mapping)
    for (const models::Entry& entry : algorithm.entries)
      if (entry.key == "learning_rate") return;
  training.report(
      "algorithm", "'learning_rate' is missing in 'training.algorithm'",
      "it has no default when 'learning' is present: learning_rate: 0.001, or {peak: 0.001, schedule: cosine}");
}

void read_algorithm(Params& training, TrainingSection& section) {
  sim::TrainingJob& job = section.job;
  job.algorithm.value =
      training.plugin("algorithm", models::algorithms(), "optimizer and how gradients or momenta are exchanged");
  if (training.describing()) return;
  job.algorithm.place = training.place("algorithm");
  const models::Node* node = training.raw("algorithm", "", "");
  if (!node) return;
  job.algorithm_name = node->text;
  for (const models::Entry& entry : node->entries) {
    if (entry.key == "name") job.algorithm_name = entry.value.text;
    section.algorithm_keys.emplace_back(entry.key,
                                        entry.value.kind == models::NodeKind::scalar ? entry.value.place : entry.place);
  }
  if (job.learning && models::algorithms().find(job.algorithm_name)) require_learning_rate(training, *node);
}

constexpr std::string_view gradient_help = "algorithm of gradient all-reduces: auto, a name, or {name: ..., options}";

void read_gradient_collective(Params& training, sim::TrainingJob& job) {
  if (training.describing()) {
    training.plugin("collective", models::collectives(), gradient_help, "auto");
    return;
  }
  if (training.kind_of("collective") != models::NodeKind::mapping) {
    const std::vector<std::string_view> names = schedules_for(models::CollectiveKind::all_reduce);
    job.collective = names[training.choice("collective", names, gradient_help, 0)];
    return;
  }
  job.schedules = training.plugin("collective", models::collectives(), gradient_help);
  if (const models::Node* node = training.raw("collective", "", ""))
    for (const models::Entry& entry : node->entries)
      if (entry.key == "name") job.collective = entry.value.text;
}

}  // namespace

TrainingSection read_training(Params& training) {
  TrainingSection section;
  sim::TrainingJob& job = section.job;
  job.place = training.place();
  read_model(training, section);
  read_batch(training, job);
  job.precision = static_cast<models::Precision>(
      training.choice("precision", models::precision_names, "of weights, activations and gradients on the wire", 2));
  job.precision_place = training.place("precision");
  job.recompute = static_cast<models::Recompute>(
      training.choice("recompute", models::recompute_names, "activations computed again in the backward pass", 0));
  job.bucket = training.bytes("bucket", models::positive,
                              "gradients are exchanged in buckets of this size, in backward order", default_bucket);
  job.overlap = training.flag("overlap", "exchange a bucket while the backward pass goes on", true);
  job.steps = training.count("steps", {1.0, 1e9}, "optimizer steps that are simulated");
  if (const auto total =
          optional_count(training, "total_steps", one_or_more, "steps of the real job, for the projected total time"))
    job.total_steps = total->value;
  section.data_ranks = read_parallelism(training);
  read_gradient_collective(training, job);
  job.library = read_library_wish(training, "collective_protocol", "collective_channels");
  job.cost_model = training.plugin("cost_model", models::cost_models(), "device time of a kernel", "roofline");
  if (training.has("forward_overhead"))
    job.forward_overhead =
        training.seconds("forward_overhead", models::not_negative,
                         "time that each forward pass takes beside its kernels (data loading, Python)");
  read_learning(training, job);
  read_algorithm(training, section);
  return section;
}

void check_training(const TrainingSection& section, int hosts, models::Diagnostics& diagnostics) {
  const sim::TrainingJob& job = section.job;
  const std::int64_t longest = job.model->maximum_sequence_length();
  if (section.sequence_length && longest > 0 && section.sequence_length->value > longest)
    diagnostics.add({section.sequence_length->place,
                     fmt::format("'sequence_length' is {}, but {} takes at most {} tokens",
                                 section.sequence_length->value, job.model->name(), longest),
                     {}});
  if (section.data_ranks && section.data_ranks->value != hosts)
    diagnostics.add(
        {section.data_ranks->place,
         fmt::format("'parallelism.data' is {}, but the cluster has {} GPUs", section.data_ranks->value, hosts),
         "write data: auto, or change the topology"});
  if (job.global_batch) {
    const std::int64_t unit = job.micro_batch * hosts, wanted = job.global_batch->value;
    if (wanted % unit != 0) {
      const std::int64_t below = wanted / unit * unit;
      diagnostics.add(
          {job.global_batch->place,
           fmt::format("a global batch of {} is not a multiple of micro x ranks = {} x {} = {}", wanted,
                       job.micro_batch, hosts, unit),
           below > 0 ? fmt::format("nearest: {} or {}", below, below + unit) : fmt::format("nearest: {}", unit)});
    }
  }
  if (!job.algorithm.value.check) return;
  for (const models::AlgorithmSpec::Finding& finding :
       job.algorithm.value.check(hosts, job.learning ? job.learning->dimension : 0, job.steps)) {
    if (!finding.error) continue;
    models::Place place = job.algorithm.place;
    for (const auto& [key, where] : section.algorithm_keys)
      if (key == finding.key) place = where;
    diagnostics.add({place, finding.message, finding.hint});
  }
}

}  // namespace scenarios
