#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/defaults.hpp"
#include "models/collective/collective.hpp"
#include "scenarios/reader/readers.hpp"
#include "scenarios/reader/scenario.hpp"

namespace scenarios {
namespace {

using models::Bytes;
using models::Params;

using models::CollectiveKind;

models::CollectiveAlgorithm read_auto(Params&) { return {}; }

const models::Table<models::CollectiveAlgorithm>& choices() {
  static const std::vector<models::Row<models::CollectiveAlgorithm>> rows = [] {
    std::vector<models::Row<models::CollectiveAlgorithm>> all{{"auto", "chosen by kind, size and group", read_auto}};
    for (const auto& row : models::collectives().rows()) all.push_back(row);
    return all;
  }();
  static const models::Table<models::CollectiveAlgorithm> table{models::collectives().point(), rows};
  return table;
}

std::string chosen_name(Params& collective) {
  const models::Node* node = collective.raw("algorithm", "", "");
  if (!node) return "auto";
  std::string name = node->text;
  for (const models::Entry& entry : node->entries)
    if (entry.key == "name") name = entry.value.text;
  return name;
}

bool does(const models::CollectiveAlgorithm& algorithm, CollectiveKind kind) {
  return std::find(algorithm.kinds.begin(), algorithm.kinds.end(), kind) != algorithm.kinds.end();
}

std::string_view name_of(CollectiveKind kind) { return models::collective_kind_names[static_cast<std::size_t>(kind)]; }

bool has_root(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce || kind == CollectiveKind::gather ||
         kind == CollectiveKind::scatter;
}

// A million ranks: far more than any world.
constexpr double most_ranks = 1e6;

void read_root(Params& collective, sim::CollectiveJob& job) {
  if (!collective.has("root")) return;
  job.root = {collective.count("root", {0.0, most_ranks}, "rank that has or gets the whole (broadcast, reduce, ...)",
                               std::int64_t{0}),
              collective.place("root")};
  if (!collective.describing() && !has_root(job.kind))
    collective.report("root", fmt::format("{} has no root", name_of(job.kind)),
                      "root belongs to broadcast, reduce, gather and scatter");
}

void read_offsets(Params& collective, sim::CollectiveJob& job) {
  if (!collective.has("offsets")) return;
  const std::vector<double> offsets = collective.numbers(
      "offsets", {-most_ranks, most_ranks},
      "neighbor_exchange: every rank i sends to i + offset, modulo ranks: [1, -1] is a ring", std::vector<double>{});
  for (const double offset : offsets) {
    if (offset != std::floor(offset)) collective.report("offsets", "'offsets' holds a number that is not whole");
    job.offsets.push_back({static_cast<std::int64_t>(offset), collective.place("offsets")});
  }
  if (!collective.describing() && job.kind != CollectiveKind::neighbor_exchange)
    collective.report("offsets", fmt::format("{} takes no offsets", name_of(job.kind)),
                      "offsets belong to neighbor_exchange");
}

void read_pairs(Params& collective, sim::CollectiveJob& job) {
  if (!collective.has("pairs")) return;
  for (Params& pair : collective.list("pairs", "messages of neighbor_exchange, or an all_to_all with unequal ones")) {
    sim::PairShare read;
    read.from = static_cast<int>(pair.count("from", {0.0, most_ranks}, "rank that sends"));
    read.to = static_cast<int>(pair.count("to", {0.0, most_ranks}, "rank that receives"));
    read.share = pair.number("share", {0.0, 1e6, models::Range::Ends::open_low}, "of the size", 1.0);
    read.place = pair.place();
    job.pairs.push_back(read);
  }
  if (!collective.describing() && job.kind != CollectiveKind::neighbor_exchange &&
      job.kind != CollectiveKind::all_to_all)
    collective.report("pairs", fmt::format("{} takes no pairs", name_of(job.kind)),
                      "pairs belong to neighbor_exchange and all_to_all");
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

std::vector<std::string_view> schedules_for(CollectiveKind kind) {
  std::vector<std::string_view> names{"auto"};
  for (const auto& row : models::collectives().rows())
    if (does(models::made_by_default(row), kind)) names.push_back(row.name);
  return names;
}

sim::LibraryWish read_library_wish(Params& params, std::string_view protocol, std::string_view channels) {
  constexpr double most_channels = 1024.0;
  sim::LibraryWish wish;
  wish.protocol.value =
      params.text(protocol, "of the links between the GPUs (ll, ll128, simple); default: the fastest", "auto");
  wish.protocol.place = params.place(protocol);
  if (params.has(channels))
    wish.channels = static_cast<int>(
        params.count(channels, {1.0, most_channels}, "thread blocks that move the data; default: as many as it takes"));
  if (params.describing()) wish.channels = 0;
  return wish;
}

sim::CollectiveJob read_collective(Params& collective) {
  sim::CollectiveJob job;
  job.kind =
      static_cast<models::CollectiveKind>(collective.choice("kind", models::collective_kind_names, "what is done"));
  job.made = collective.plugin("algorithm", choices(), "schedule of the rounds", std::string("auto"));
  job.algorithm = collective.describing() ? "auto" : chosen_name(collective);
  job.algorithm_place = collective.place("algorithm");
  job.library = read_library_wish(collective, "protocol", "channels");
  job.ranks.place = collective.place("ranks");
  if (collective.has("ranks"))
    job.ranks.value = collective.count("ranks", {2.0, most_ranks}, "members; default: all GPUs of the cluster");
  read_root(collective, job);
  read_offsets(collective, job);
  read_pairs(collective, job);
  job.data_type =
      static_cast<models::Precision>(collective.choice("data_type", models::precision_names, "of one element", 0));
  job.sizes = read_sizes(collective);
  if (collective.describing()) return job;
  if (job.kind == CollectiveKind::neighbor_exchange && job.offsets.empty() && job.pairs.empty())
    collective.report("kind", "neighbor_exchange needs its neighbors",
                      "give offsets: [1, -1] for a ring of all ranks, or pairs: [{from: 0, to: 1}, ...]");
  if (!job.made.schedule || does(job.made, job.kind)) return job;
  collective.report("algorithm", fmt::format("algorithm '{}' does not do '{}'", job.algorithm, name_of(job.kind)),
                    fmt::format("for {}: {}", name_of(job.kind), fmt::join(schedules_for(job.kind), ", ")));
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
