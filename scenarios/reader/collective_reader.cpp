#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/collective/collective.hpp"
#include "scenarios/reader/readers.hpp"
#include "scenarios/reader/scenario.hpp"

namespace scenarios {
namespace {

using models::Bytes;
using models::Params;

std::vector<models::CollectiveKind> kinds_of(std::string_view algorithm) {
  const auto* row = models::collectives().find(algorithm);
  if (!row) return {};
  models::Node empty;
  empty.kind = models::NodeKind::mapping;
  models::Diagnostics unheard;
  Params params(empty, "", unheard, presets());
  return row->read(params).kinds;
}

// A million ranks' bytes still count exactly in 64 bits.
constexpr double largest_size = 1e12;

std::vector<Bytes> read_list_of_sizes(Params& collective, std::string_view help) {
  std::vector<Bytes> sizes = collective.bytes_list("sizes", help);
  const bool too_large = std::any_of(sizes.begin(), sizes.end(), [](Bytes size) { return size > Bytes{largest_size}; });
  if (too_large)
    collective.report("sizes", "'sizes' holds a size above 1 TB",
                      "a collective's buffer lies in the memory of one GPU");
  return sizes;
}

std::vector<Bytes> read_sizes(Params& collective) {
  constexpr std::string_view help = "sizes as nccl-tests means them: [1 KiB, 1 MiB] or {from, to, factor}";
  if (collective.describing()) collective.bytes_list("sizes", help);
  if (collective.kind_of("sizes") != models::NodeKind::mapping) return read_list_of_sizes(collective, help);
  Params range = collective.section("sizes", help);
  const models::Range legal{1.0, largest_size};
  Bytes size = range.bytes("from", legal, "smallest size");
  const Bytes last = range.bytes("to", legal, "largest size");
  const double factor = range.number("factor", {1.1, 1e6}, "from one size to the next", 2.0);
  if (last < size) range.report("to", "'to' is smaller than 'from'");
  std::vector<Bytes> sizes;
  for (; size <= last; size = size * factor) sizes.push_back(Bytes{std::floor(size / Bytes{1.0})});
  return sizes;
}

}  // namespace

sim::CollectiveJob read_collective(Params& collective) {
  sim::CollectiveJob job;
  job.kind =
      static_cast<models::CollectiveKind>(collective.choice("kind", models::collective_kind_names, "what is done"));
  std::vector<std::string_view> names{"auto"};
  for (const auto& row : models::collectives().rows()) names.push_back(row.name);
  job.algorithm = std::string(names[collective.choice("algorithm", names, "schedule of the rounds", 0)]);
  job.ranks.place = collective.place("ranks");
  if (collective.has("ranks"))
    job.ranks.value = collective.count("ranks", {2.0, 1e6}, "members; default: all GPUs of the cluster");
  job.data_type =
      static_cast<models::Precision>(collective.choice("data_type", models::precision_names, "of one element", 0));
  job.sizes = read_sizes(collective);
  if (collective.describing() || job.algorithm == "auto") return job;
  const std::vector<models::CollectiveKind> kinds = kinds_of(job.algorithm);
  if (std::find(kinds.begin(), kinds.end(), job.kind) != kinds.end()) return job;
  std::vector<std::string_view> able{"auto"};
  for (const auto& row : models::collectives().rows()) {
    const std::vector<models::CollectiveKind> its = kinds_of(row.name);
    if (std::find(its.begin(), its.end(), job.kind) != its.end()) able.push_back(row.name);
  }
  const std::string_view kind = models::collective_kind_names[static_cast<std::size_t>(job.kind)];
  collective.report("algorithm", fmt::format("algorithm '{}' does not do '{}'", job.algorithm, kind),
                    fmt::format("for {}: {}", kind, fmt::join(able, ", ")));
  return job;
}

void check_collective(const sim::CollectiveJob& job, int hosts, models::Diagnostics& diagnostics) {
  if (job.ranks.value > hosts)
    diagnostics.add({job.ranks.place,
                     fmt::format("the collective wants {} ranks, but the cluster has {} GPUs", job.ranks.value, hosts),
                     "take fewer ranks, or a larger topology"});
  else if (job.ranks.value == 0 && hosts < 2)
    diagnostics.add(
        {job.ranks.place, "a collective needs at least 2 ranks, but the cluster has 1 GPU", "give a larger topology"});
}

}  // namespace scenarios
