#include "sim/program/memory.hpp"

#include <utility>

#include "models/base/error.hpp"

namespace sim {

using models::Buffer;
using models::Lifetime;
using models::MemoryCategory;

void MemoryLedger::allocate(MemoryCategory category, Bytes size) {
  held_[static_cast<std::size_t>(category)] += size.value;
  now_ += size.value;
  if (now_ > peak_) {
    peak_ = now_;
    composition_ = held_;
  }
}

void MemoryLedger::release(MemoryCategory category, Bytes size) {
  double& held = held_[static_cast<std::size_t>(category)];
  models::ensure(held >= size.value, "no more memory is released than was allocated");
  held -= size.value;
  now_ -= size.value;
}

StepMemory::StepMemory(const models::StepPlan& plan, std::vector<Buffer> buffers)
    : plan_(&plan), buffers_(std::move(buffers)) {}

void StepMemory::take(Lifetime lifetime) {
  for (const Buffer& buffer : buffers_)
    if (buffer.lifetime == lifetime) ledger_.allocate(buffer.category, buffer.size);
}

void StepMemory::give_back(Lifetime lifetime) {
  for (const Buffer& buffer : buffers_)
    if (buffer.lifetime == lifetime) ledger_.release(buffer.category, buffer.size);
}

void StepMemory::begin_run() { take(Lifetime::run); }

void StepMemory::forward() {
  take(Lifetime::forward_backward);
  for (const models::LayerWork& layer : plan_->layers) ledger_.allocate(MemoryCategory::activations, layer.activations);
  ledger_.allocate(MemoryCategory::logits, plan_->logits);
}

void StepMemory::backward(int first_layer, int last_layer) {
  if (last_layer + 1 == static_cast<int>(plan_->layers.size())) ledger_.release(MemoryCategory::logits, plan_->logits);
  for (int layer = last_layer; layer >= first_layer; --layer)
    ledger_.release(MemoryCategory::activations, plan_->layers[static_cast<std::size_t>(layer)].activations);
  if (first_layer == 0) give_back(Lifetime::forward_backward);
}

void StepMemory::begin_exchange() {
  models::ensure(!exchanging_, "an exchange begins once a step");
  exchanging_ = true;
  take(Lifetime::exchange);
}

void StepMemory::end_step() {
  if (exchanging_) give_back(Lifetime::exchange);
  exchanging_ = false;
}

std::vector<Buffer> rank_buffers(const TrainingJob& job, const models::StepPlan& plan,
                                 const std::vector<Buffer>& algorithm, Bytes framework_reserved) {
  const double parameters = static_cast<double>(plan.parameters);
  const Bytes stored = parameters * models::element_size(job.precision);
  std::vector<Buffer> all = {{MemoryCategory::framework_reserved, framework_reserved, Lifetime::run},
                             {MemoryCategory::weights, stored, Lifetime::run}};
  // Mixed precision keeps an fp32 copy that the optimizer updates (Micikevicius et al., Mixed Precision Training, ICLR
  // 2018).
  if (models::element_size(job.precision) < Bytes{4.0})
    all.push_back({MemoryCategory::master_weights, Bytes{4.0 * parameters}, Lifetime::run});
  all.push_back({MemoryCategory::gradients, stored, Lifetime::run});
  all.insert(all.end(), algorithm.begin(), algorithm.end());
  all.push_back({MemoryCategory::workspace, plan.workspace, Lifetime::forward_backward});
  return all;
}

void walk_step(StepMemory& memory, const models::Layout& layout, const models::StepPlan& plan,
               std::int64_t accumulation) {
  const int last = static_cast<int>(plan.layers.size()) - 1;
  for (std::int64_t micro = 1; micro < accumulation; ++micro) {
    memory.forward();
    memory.backward(0, last);
  }
  memory.forward();
  for (std::size_t i = 0; i < layout.buckets.size(); ++i) {
    memory.backward(layout.buckets[i].first_layer, layout.buckets[i].last_layer);
    if (i == 0) memory.begin_exchange();
  }
  memory.end_step();
}

std::vector<MemoryEntry> memory_entries(const MemoryLedger& ledger, const std::string& ranks) {
  std::vector<MemoryEntry> entries;
  for (std::size_t i = 0; i < memory_categories; ++i)
    if (ledger.composition()[i] > 0.0)
      entries.push_back({ranks, std::string(models::memory_category_names[i]), ledger.composition()[i]});
  return entries;
}

}  // namespace sim
