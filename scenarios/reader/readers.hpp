#pragma once
// The sections of a scenario, one reader each. In describing mode they declare the language.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/params.hpp"
#include "sim/program/job.hpp"
#include "sim/result/run.hpp"
#include "topologies/fabric/world.hpp"

namespace scenarios {

inline constexpr std::string_view cluster_help = "topology, devices and network";
inline constexpr std::string_view training_help = "the job: data-parallel training";
inline constexpr std::string_view collective_help = "the job: one collective operation at several sizes";

// Everything but the cluster and the job.
struct Header {
  std::string name, description, source;
  std::uint64_t seed = 1;
  std::int64_t repeats = 1;
  std::vector<std::string> outputs;
  std::vector<sim::Reference> references;
};
inline constexpr std::string_view header_keys[] = {"name",     "description", "source",    "seed",   "repeats",
                                                   "variants", "sweep",       "reference", "outputs"};
bool is_header_key(std::string_view key);
// What a point consists of, and variants and sweeps may change.
inline constexpr std::string_view point_keys[] = {"cluster", "training", "collective", "expect"};
bool is_point_key(std::string_view key);
// Named in the language, but of jobs and tools that this version does not have.
inline constexpr std::string_view later_keys[] = {"serving", "dataset", "storage", "plan"};
bool is_later_key(std::string_view key);
// Nothing when the mapping lacks it.
const models::Entry* entry_of(const models::Node& mapping, std::string_view key);

Header read_header(models::Params& top);
std::vector<sim::Reference> read_references(models::Params& top);
sim::Status read_expected(models::Params& top);

// A job, and what is judged once all sections are read without an error.
struct TrainingSection {
  sim::TrainingJob job;
  std::optional<models::Located<std::int64_t>> data_ranks;       // parallelism.data, unless auto
  std::optional<models::Located<std::int64_t>> sequence_length;  // as written
  std::vector<std::pair<std::string, models::Place>> algorithm_keys;
};
TrainingSection read_training(models::Params& training);
void check_training(const TrainingSection& training, int hosts, models::Diagnostics& diagnostics);

// `auto` and the names of models::collectives() that do it.
std::vector<std::string_view> schedules_for(models::CollectiveKind kind);
// The keys of what a collective library would choose by itself.
sim::LibraryWish read_library_wish(models::Params& params, std::string_view protocol, std::string_view channels);
sim::CollectiveJob read_collective(models::Params& collective);
void check_collective(const sim::CollectiveJob& job, int hosts, models::Diagnostics& diagnostics);

}  // namespace scenarios
