#include <catch2/catch.hpp>

#include "sim/program/memory.hpp"

using models::Bytes;
using models::MemoryCategory;

TEST_CASE("a ledger keeps the composition of the instant when the sum was largest", "[program]") {
  sim::MemoryLedger ledger;
  ledger.allocate(MemoryCategory::weights, Bytes{10});
  ledger.allocate(MemoryCategory::activations, Bytes{5});
  ledger.release(MemoryCategory::activations, Bytes{5});
  ledger.allocate(MemoryCategory::workspace, Bytes{4});
  CHECK(ledger.now() == 14.0);
  CHECK(ledger.peak() == 15.0);
  CHECK(ledger.composition()[static_cast<std::size_t>(MemoryCategory::activations)] == 5.0);
  CHECK(ledger.composition()[static_cast<std::size_t>(MemoryCategory::workspace)] == 0.0);
  const auto entries = sim::memory_entries(ledger, "0-3");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].category == "weights");
  CHECK(entries[1].ranks == "0-3");
}

TEST_CASE("releasing more memory than was allocated is our bug", "[program]") {
  sim::MemoryLedger ledger;
  ledger.allocate(MemoryCategory::weights, Bytes{10});
  CHECK_THROWS_AS(ledger.release(MemoryCategory::weights, Bytes{11}), models::Bug);
}

// Three layers of 10, 20, 40 B of activations, logits 7, exchange buffers 35; buckets {2}, {1, 0}.
// After forward: 77. First bucket ends: 30 left, then the exchange takes 35: 65. So logits and activations make the
// peak; with 50 B of exchange they do not.
TEST_CASE("the peak of a step is after forward or after the first bucket, whichever holds more", "[program]") {
  models::StepPlan plan;
  for (const double activations : {10.0, 20.0, 40.0}) {
    models::LayerWork layer;
    layer.activations = Bytes{activations};
    plan.layers.push_back(layer);
  }
  plan.logits = Bytes{7};
  models::Layout layout;
  layout.buckets = {{2, 2, 0, 0, 0}, {0, 1, 0, 0, 0}};
  for (const double exchange : {35.0, 50.0}) {
    sim::StepMemory memory(plan,
                           {{MemoryCategory::communication_buffers, Bytes{exchange}, models::Lifetime::exchange}});
    memory.begin_run();
    sim::walk_step(memory, layout, plan, 2);
    CHECK(memory.ledger().peak() == (exchange == 35.0 ? 77.0 : 80.0));
    CHECK(memory.ledger().composition()[static_cast<std::size_t>(MemoryCategory::communication_buffers)] ==
          (exchange == 35.0 ? 0.0 : 50.0));
    CHECK(memory.ledger().now() == 0.0);
  }
}
