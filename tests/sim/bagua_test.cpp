// Schedules between nodes whose times can be worked out: push and pull, NCCL's ring, the window, what the hierarchy
// saves, and the best bucket.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/base/defaults.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/training.hpp"

using models::Bytes;

namespace {

constexpr double fast = 1e17;  // bytes/s inside a node: costs nothing

double metric(const sim::Result& result, const std::string& name) {
  const sim::Metric* found = result.metric(name);
  REQUIRE(found != nullptr);
  REQUIRE(found->value.has_value());
  return *found->value;
}

// Seconds of one all-reduce of `size` bytes, alone.
double seconds(const topologies::World& world, const std::string& algorithm, double size) {
  return support::numbers_in_child([&] {
    sim::CollectiveJob job;
    job.algorithm = algorithm;
    job.sizes = {Bytes{size}};
    const sim::Result result = sim::simulate(sim::plan(job, world, sim::OnOutOfMemory::refuse), world, {});
    return std::vector<double>{metric(result, "time_s")};
  })[0];
}

topologies::World nodes_of(int nodes, int local, topologies::LinkProperties outside) {
  topologies::World world = support::star_of_nodes(nodes, local, support::cable(fast, 0.0), outside);
  world.devices[0].memory = Bytes{16e9};
  for (models::FlopsPerSecond& peak : world.devices[0].peak) peak = models::FlopsPerSecond{1e12};
  return world;
}

// Elements that leave the nodes of a group of 16 x 8, all nodes together, for a vector of `elements`.
double between_nodes(std::string_view algorithm, models::CollectiveKind kind, std::int64_t elements) {
  models::Group group;
  for (int i = 0; i < 128; ++i) {
    group.ranks.push_back(models::Rank{i});
    group.node.push_back(i / 8);
  }
  double sum = 0.0;
  std::vector<models::Transfer> transfers;
  const auto* row = models::collectives().find(algorithm);
  REQUIRE(row != nullptr);
  for (const models::Phase& phase : models::made_by_default(*row).schedule(group, {kind, elements, 0}))
    for (std::int64_t round = 0; round < phase.repeats; ++round) {
      transfers.clear();
      phase.fill(round, transfers);
      for (const models::Transfer& transfer : transfers)
        if (transfer.from / 8 != transfer.to / 8) sum += static_cast<double>(transfer.elements.count);
    }
  return sum;
}

}  // namespace

// 4 nodes of 2, 64 MB, 1 GB/s each way. Push and pull in 4 pieces of 16 MB: a node pushes 3/4 of a piece and as its
// server pulls for the others as much, 12 MB each; the rounds are one push alone, three of both, one pull alone.
TEST_CASE("push and pull to equal shards fills both directions of every card", "[collective]") {
  const topologies::World world = nodes_of(4, 2, support::cable(1e9, 0.0));
  CHECK(seconds(world, "byteps", 64e6) == Approx(0.012 + 3 * 0.024 + 0.012).epsilon(1e-6));
}

// 4 nodes of 2, 64 MB: 3 rounds each way of 16 MB, and two more crossings of half of it.
TEST_CASE("NCCL's ring sends 2(N-1)/N through each card although a round is a hop of nodes", "[collective]") {
  const topologies::World world = nodes_of(4, 2, support::cable(1e9, 0.0));
  CHECK(seconds(world, "nccl_ring", 64e6) == Approx(2.0 * 7.0 / 8.0 * 0.064).epsilon(1e-6));
  CHECK(seconds(world, "ring", 64e6) == Approx(2.0 * 7.0 / 8.0 * 0.064).epsilon(1e-6));
}

// A route is two links of each kind, so a window of W allows W / (2 x latency) with latency = 2 x 0.5 L = L. Of
// nccl_ring on 4 nodes of 2, 8 rounds, 7/4 of the vector goes through a connection: one more second of latency costs
// the rounds, and 7/4 x size x 2 / W for the window.
TEST_CASE("added latency costs rounds, and bytes at window / round trip", "[transport]") {
  constexpr double size = 64e6, window = 4.0 * 1048576.0, rounds = 8.0;
  const auto at = [&](double latency) {
    topologies::LinkProperties link = support::cable(1.25e9, 0.5 * latency);
    link.transport.window = Bytes{window};
    return seconds(nodes_of(4, 2, link), "nccl_ring", size);
  };
  const double expected = rounds + 7.0 / 4.0 * size * 2.0 / window;
  CHECK((at(0.005) - at(0.003)) / 0.002 == Approx(expected).epsilon(1e-6));
  CHECK((at(0.1) - at(0.02)) / 0.08 == Approx(expected).epsilon(1e-6));
  // Below the round trip at which the window holds what the cable does, latency costs the rounds only.
  CHECK((at(0.0010) - at(0.0005)) / 0.0005 == Approx(rounds).epsilon(1e-6));
}

TEST_CASE("leaders send an eighth of what a flat exchange sends between nodes of 8; a flat ring hardly more",
          "[collective]") {
  constexpr std::int64_t elements = 128 * 128 * 16;
  const double size = elements, nodes = 16.0;
  // Flat, every member's part to and from every member elsewhere: reduce-scatter and all-gather.
  const double flat = between_nodes("direct", models::CollectiveKind::reduce_scatter, elements) +
                      between_nodes("direct", models::CollectiveKind::all_gather, elements);
  const double leaders = between_nodes("byteps", models::CollectiveKind::all_reduce, elements);
  CHECK(leaders == Approx(nodes * 2.0 * 15.0 / 16.0 * size));
  CHECK(flat / leaders == Approx(8.0));
  const double ring = between_nodes("ring", models::CollectiveKind::all_reduce, elements);
  CHECK(between_nodes("nccl_ring", models::CollectiveKind::all_reduce, elements) == Approx(ring));
  CHECK(between_nodes("hierarchical_ring", models::CollectiveKind::all_reduce, elements) / ring ==
        Approx((15.0 / 16.0) / (127.0 / 128.0)));
}

// 256 layers of 100 KB, 1 ms forward and 2 ms backward each: 0.77 s of compute, and 0.77 s of bytes on a ring of 4 at
// 50 MB/s, of which the part under the backward pass costs nothing. A bucket costs six latencies.
TEST_CASE("too small buckets wait for latency, one bucket for the backward pass; the best grows with latency",
          "[simulate]") {
  const std::vector<double> buckets{1e5, 4e5, 1.6e6, 3.2e6, 6.4e6, 12.8e6, 1e9};
  const auto steps = [&](double latency) {
    std::vector<double> found;
    for (const double bucket : buckets)
      found.push_back(support::numbers_in_child([&] {
        sim::TrainingJob job = support::descent_job({.layers = 256, .parameters = 25'000, .steps = 3});
        job.bucket = Bytes{bucket};
        job.collective = "ring";
        const topologies::World world = support::star_world(4, models::BytesPerSecond{50e6}, models::Seconds{latency});
        return std::vector<double>{
            metric(sim::simulate(sim::plan(job, world, sim::OnOutOfMemory::refuse), world, {}), "step_time_s")};
      })[0]);
    return found;
  };
  const auto best = [](const std::vector<double>& times) {
    return std::min_element(times.begin(), times.end()) - times.begin();
  };
  const std::vector<double> slow = steps(1e-3), none = steps(0.0);
  const auto lowest = best(slow);
  CHECK(lowest > 0);
  CHECK(lowest + 1 < static_cast<std::ptrdiff_t>(buckets.size()));
  CHECK(slow.front() > 1.2 * slow[static_cast<std::size_t>(lowest)]);
  CHECK(slow.back() > 1.2 * slow[static_cast<std::size_t>(lowest)]);
  CHECK(best(none) < lowest);
  for (std::size_t i = 0; i + 1 < none.size(); ++i) CHECK(none[i] <= none[i + 1] * (1.0 + 1e-9));
}
