#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/training.hpp"

using models::Bytes;
using support::descent_job;
using support::star_world;

namespace {

std::string message_of(const sim::Job& job, const topologies::World& world) {
  try {
    sim::plan(job, world, sim::OnOutOfMemory::refuse);
  } catch (const models::Error& error) {
    return error.what();
  }
  return "no error";
}

double held(const sim::TrainingProgram& program, const std::string& category) {
  for (const sim::MemoryEntry& entry : program.memory)
    if (entry.category == category) return entry.peak_B;
  return 0.0;
}

}  // namespace

TEST_CASE("accumulation follows from the global batch", "[program]") {
  sim::TrainingJob job = descent_job();
  job.micro_batch = 2;
  job.global_batch = models::Located<std::int64_t>{24, {"job.yaml", 4, 20, ""}};
  const sim::Program program = sim::plan(job, star_world(4, models::BytesPerSecond{1e9}), sim::OnOutOfMemory::refuse);
  const auto& training = std::get<sim::TrainingProgram>(program.role);
  CHECK(training.accumulation == 3);
  CHECK(training.global_batch == 24);
}

TEST_CASE("a global batch that does not divide names the nearest legal ones at its place", "[program]") {
  sim::TrainingJob job = descent_job();
  job.micro_batch = 2;
  job.global_batch = models::Located<std::int64_t>{21, {"job.yaml", 4, 20, ""}};
  CHECK(message_of(job, star_world(4, models::BytesPerSecond{1e9})) ==
        "job.yaml:4:20: error: a global batch of 21 is not a multiple of micro x ranks = 2 x 4 = 8\n  hint: nearest: "
        "16 or 24");
  job.global_batch->value = 3;
  CHECK(message_of(job, star_world(4, models::BytesPerSecond{1e9})) ==
        "job.yaml:4:20: error: a global batch of 3 is not a multiple of micro x ranks = 2 x 4 = 8\n  hint: nearest: 8");
}

TEST_CASE("what an algorithm finds wrong stands at the algorithm's place, warnings in the program", "[program]") {
  sim::TrainingJob job = descent_job();
  job.bucket = Bytes{1e9};
  job.algorithm.value.check.findings = [](int ranks, std::int64_t, std::int64_t steps, models::Chunking) {
    using Finding = models::AlgorithmSpec::Finding;
    return std::vector<Finding>{{"freeze_step", "is early", "wait", false},
                                {"", "wants " + std::to_string(ranks * steps), "", ranks > 2}};
  };
  const sim::Program program = sim::plan(job, star_world(2, models::BytesPerSecond{1e9}), sim::OnOutOfMemory::refuse);
  CHECK(program.warnings == std::vector<std::string>{"freeze_step: is early; wait", "wants 10"});
  CHECK(message_of(job, star_world(3, models::BytesPerSecond{1e9})) == "job.yaml:7:14: error: wants 15");
}

// 4 layers of 1e6 fp16 parameters: 8 MB weights, 16 MB master, 8 MB gradients, 32 MB optimizer; activations 4 x 3 MB,
// logits 0.5 MB.
TEST_CASE("planned memory lists every category at the peak", "[program]") {
  sim::TrainingJob job = descent_job();
  job.precision = models::Precision::fp16;
  job.micro_batch = 3;
  const sim::Program program = sim::plan(job, star_world(4, models::BytesPerSecond{1e9}), sim::OnOutOfMemory::refuse);
  const auto& training = std::get<sim::TrainingProgram>(program.role);
  CHECK(held(training, "weights") == 8e6);
  CHECK(held(training, "master_weights") == 16e6);
  CHECK(held(training, "gradients") == 8e6);
  CHECK(held(training, "optimizer_state") == 32e6);
  CHECK(held(training, "activations") == 12e6);
  CHECK(held(training, "logits") == 5e5);
  CHECK(held(training, "framework_reserved") == 1343.0 * 1048576.0);
  double sum = 0.0;
  for (const sim::MemoryEntry& entry : training.memory) {
    sum += entry.peak_B;
    CHECK(entry.ranks == "0-3");
  }
  CHECK(sum == training.peak_memory_B);
}

TEST_CASE("a plan that does not fit names the heaviest category and the shortfall", "[program]") {
  sim::TrainingJob job = descent_job();
  job.micro_batch = 5000;  // 4 layers x 5000 MB of activations
  job.bucket = Bytes{1e9};
  topologies::World world = star_world(2, models::BytesPerSecond{1e9});
  const std::string message = message_of(job, world);
  CHECK_THAT(message, Catch::StartsWith("job.yaml:5:3: error: a rank needs 21.5 GB at its peak, test_gpu has 16 GB: "
                                        "5.47 GB too little; most of it is activations, 20 GB"));
  CHECK_THAT(message, Catch::Contains("hint: lower batch.micro (accumulation keeps the global batch), set recompute: "
                                      "full, take a device with more memory"));
  const sim::Program allowed = sim::plan(job, world, sim::OnOutOfMemory::allow);
  REQUIRE(allowed.warnings.size() == 1);
  CHECK_THAT(allowed.warnings[0], Catch::Contains("could not start on such a device"));
}

// 4 layers of 1,048,576 fp32 parameters, 4 MiB each.
TEST_CASE("buckets smaller than the layers are a warning with the sizes", "[program]") {
  sim::TrainingJob job = descent_job({.layers = 4, .parameters = 1 << 20});
  const auto warnings = [&](double mebibytes, int ranks) {
    job.bucket = Bytes{mebibytes * 1048576.0};
    return sim::plan(job, star_world(ranks, models::BytesPerSecond{1e9}), sim::OnOutOfMemory::refuse).warnings;
  };
  REQUIRE(warnings(1, 2).size() == 1);
  CHECK(warnings(1, 2).front() ==
        "training.bucket: a bucket never splits a layer, and 4 of 4 layers are larger than 1 MiB: gradients go in 4 "
        "buckets of 4 MiB to 4 MiB; a smaller bucket changes nothing");
  CHECK(warnings(4, 2).empty());
  CHECK(warnings(1, 1).empty());  // nothing is exchanged
}

TEST_CASE("a collective takes the first ranks of the cluster and refuses what it has not", "[program]") {
  sim::CollectiveJob job;
  job.ranks.place = {"job.yaml", 9, 12, ""};
  const topologies::World world = star_world(4, models::BytesPerSecond{1e9});
  CHECK(std::get<sim::CollectiveProgram>(sim::plan(job, world, sim::OnOutOfMemory::refuse).role).group.size() == 4);
  job.ranks.value = 3;
  CHECK(std::get<sim::CollectiveProgram>(sim::plan(job, world, sim::OnOutOfMemory::refuse).role).group.size() == 3);
  job.ranks.value = 5;
  CHECK(message_of(job, world) ==
        "job.yaml:9:12: error: the collective wants 5 ranks, the cluster has 4 GPUs\n  hint: give 2 to 4, or a larger "
        "topology");
  job.ranks.value = 1;
  CHECK(message_of(job, world) == "job.yaml:9:12: error: a collective needs at least 2 ranks\n  hint: give 2 to 4");
}

TEST_CASE("a collective refuses a root, pairs and servers that its group has not", "[program]") {
  const topologies::World world = star_world(4, models::BytesPerSecond{1e9});
  const models::Place place{"job.yaml", 9, 12, ""};
  sim::CollectiveJob rooted;
  rooted.root = {4, place};
  CHECK(message_of(rooted, world) ==
        "job.yaml:9:12: error: the root 4 is none of the 4 ranks\n  hint: ranks go from 0 to 3");

  const auto message_with = [&](std::vector<std::int64_t> offsets, std::vector<sim::PairShare> pairs) {
    sim::CollectiveJob job;
    job.kind = models::CollectiveKind::neighbor_exchange;
    for (const std::int64_t offset : offsets) job.offsets.push_back({offset, place});
    job.pairs = std::move(pairs);
    return message_of(job, world);
  };
  CHECK(message_with({1, -1}, {{0, 2, 0.5, place}}) == "no error");
  CHECK(message_with({}, {{0, 4, 1.0, place}}) ==
        "job.yaml:9:12: error: the pair 0 -> 4 leaves the group of 4 ranks\n  hint: ranks go from 0 to 3");
  CHECK(message_with({4}, {}) ==
        "job.yaml:9:12: error: rank 0 would send to itself in a group of 4 ranks\n  hint: give pairs of two ranks, and "
        "offsets that are no multiple of the number of ranks");
  CHECK(message_with({1, -3}, {}) ==
        "job.yaml:9:12: error: the pair 0 -> 1 is given twice\n  hint: give each pair once; offsets count as pairs "
        "modulo the number of ranks");

  sim::CollectiveJob served;
  served.algorithm_place = place;
  served.made = support::made_with("parameter_server", {{"servers", "5"}});
  CHECK(
      message_of(served, world) ==
      "job.yaml:9:12: error: parameter_server has 5 servers, but the group has 4 members\n  hint: give fewer servers, "
      "or more ranks");
  sim::CollectiveJob sized;
  sized.kind = models::CollectiveKind::all_to_all;
  sized.algorithm_place = place;
  sized.made = support::made_with("bruck");
  sized.pairs = {{0, 1, 1.0, place}};
  CHECK(
      message_of(sized, world) ==
      "job.yaml:9:12: error: bruck exchanges messages of one size only\n  hint: pairwise and direct take pairs of any "
      "size");
}

TEST_CASE("a group knows whether the members of a node leave it over links of their own", "[program]") {
  topologies::World cables = star_world(8, models::BytesPerSecond{1e9});
  CHECK_FALSE(sim::group_of(cables, 8).separate_ways);  // one member a node
  for (int host = 0; host < 8; ++host) cables.node[static_cast<std::size_t>(host)] = host / 4;
  CHECK(sim::group_of(cables, 8).separate_ways);
  CHECK(sim::group_of(cables, 6).separate_ways);
  CHECK_FALSE(sim::group_of(cables, 5).separate_ways);  // one member on the second node
  CHECK_FALSE(sim::group_of(cables, 4).separate_ways);  // one node
  const topologies::World one_uplink =
      support::star_of_nodes(2, 4, support::cable(1e10, 1e-6), support::cable(1e9, 1e-6));
  CHECK_FALSE(sim::group_of(one_uplink, 8).separate_ways);
}

TEST_CASE("everybody to everybody at once has a largest group", "[program]") {
  sim::CollectiveJob job;
  job.kind = models::CollectiveKind::all_to_all;
  job.algorithm = "direct";
  job.ranks = {2896, {"job.yaml", 9, 12, ""}};
  const topologies::World world = star_world(2897, models::BytesPerSecond{1e9});
  CHECK(message_of(job, world) == "no error");
  job.ranks.value = 2897;
  CHECK(message_of(job, world) ==
        "job.yaml:9:12: error: 'direct' sends 8389712 messages at once among 2897 ranks, and takes at most 2896 ranks\n"
        "  hint: algorithm: auto sends them in rounds, or take fewer ranks");
}
