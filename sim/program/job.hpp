#pragma once
// Jobs: validated wishes. The scenario reader fills them in through read_*; plan() turns them into a Program.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/algorithm/algorithm.hpp"
#include "models/architecture/step_plan.hpp"
#include "models/base/error.hpp"
#include "models/objective/objective.hpp"

namespace sim {

using models::Bytes;
using models::Seconds;

using models::Chunking;
struct Learning {
  std::int64_t dimension = 0;
  models::Place dimension_place;
  models::ObjectiveSpec objective;
  std::optional<double> target_relative_gap;
  std::int64_t evaluate_every = 1;
  double diverged_above = 1e6;  // relative gap that counts as exploding
  Chunking chunking = Chunking::automatic;
};

// What a collective library would choose by itself.
struct LibraryWish {
  models::Located<std::string> protocol{"auto", {}};
  int channels = 0;  // 0: as many as it takes
};

struct TrainingJob {
  std::shared_ptr<const models::Architecture> model;
  std::int64_t sequence_length = 0;
  std::int64_t micro_batch = 1;
  std::optional<models::Located<std::int64_t>> global_batch;  // else micro x ranks x accumulation
  std::int64_t accumulation = 1;
  models::Precision precision = models::Precision::fp16;
  models::Place precision_place;
  models::Recompute recompute = models::Recompute::none;
  Bytes bucket{};
  bool overlap = true;
  std::int64_t steps = 0;
  std::optional<std::int64_t> total_steps;
  models::Located<models::AlgorithmSpec> algorithm;
  std::string algorithm_name;
  std::string collective = "auto";                       // training.collective: algorithm of gradient all-reduces
  std::optional<models::CollectiveAlgorithm> schedules;  // that algorithm with the options given; else its defaults
  LibraryWish library;                                   // likewise
  std::optional<Learning> learning;
  std::optional<Seconds> forward_overhead;
  models::CostModel cost_model;
  models::Place place;         // of `training:`
  models::Place memory_place;  // of what to change when memory does not suffice
};

// A message from one member to another, as a share of the job's size.
struct PairShare {
  int from = 0, to = 0;
  double share = 1.0;
  models::Place place;
};
struct CollectiveJob {
  models::CollectiveKind kind = models::CollectiveKind::all_reduce;
  std::string algorithm = "auto";
  models::CollectiveAlgorithm made;  // of that row, with its keys; nothing for auto
  models::Place algorithm_place;
  LibraryWish library;
  models::Located<std::int64_t> ranks;  // 0: all hosts
  models::Located<std::int64_t> root;
  std::vector<models::Located<std::int64_t>> offsets;  // neighbor_exchange: member i sends to i + offset, each of them
  std::vector<PairShare> pairs;                        // neighbor_exchange, all_to_all: beside the offsets
  models::Precision data_type = models::Precision::fp32;
  std::vector<Bytes> sizes;  // as nccl-tests means it
};

using Job = std::variant<TrainingJob, CollectiveJob>;

}  // namespace sim
