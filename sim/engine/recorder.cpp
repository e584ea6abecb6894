#include "sim/engine/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "models/base/error.hpp"

namespace sim {
namespace {

constexpr double equal_steps = 1e-9;         // relative (design section 6)
constexpr std::size_t most_ends = std::size_t{1} << 18;  // 4 MiB
constexpr std::size_t most_spans = 500'000;  // what trace viewers still open

bool alike(double a, double b) { return std::abs(a - b) <= equal_steps * std::max(std::abs(a), std::abs(b)); }

}  // namespace

StepSums& StepSums::operator+=(const StepSums& other) {
  for (std::size_t i = 0; i < part_count; ++i) parts[i] += other.parts[i];
  duration_s += other.duration_s;
  communication_s += other.communication_s;
  wire_B += other.wire_B;
  steps += other.steps;
  return *this;
}

StepSums StepSums::operator*(double factor) const {
  StepSums scaled = *this;
  for (double& part : scaled.parts) part *= factor;
  scaled.duration_s *= factor;
  scaled.communication_s *= factor;
  scaled.wire_B *= factor;
  scaled.steps *= factor;
  return scaled;
}

StepSums PhaseSums::total() const {
  StepSums sum = steady.steps > 0.0 ? steady : last;
  sum += last * static_cast<double>(skipped);
  return sum;
}

Recorder::Recorder(int ranks, Skipping skipping, Tracing tracing)
    : ranks_(ranks), skipping_(skipping), tracing_(tracing) {}

void Recorder::phase(const char* name, std::int64_t until) {
  for (const PhaseSums& known : phases_)
    if (known.name == name && known.until == until) return;
  PhaseSums phase;
  phase.name = name;
  phase.until = until;
  phase.first_step = -1;
  phases_.push_back(std::move(phase));
}

Recorder::Open& Recorder::open(std::int64_t step) {
  for (auto candidate = open_.rbegin(); candidate != open_.rend(); ++candidate)
    if (candidate->step == step) return *candidate;
  throw models::Bug("a step is open while its ranks run it");
}

void Recorder::begin_step(std::int64_t step) {
  for (const Open& known : open_)
    if (known.step == step) return;
  models::ensure(open_.empty() || open_.back().step < step, "steps begin in order");
  if (phases_.empty()) phases_.emplace_back();
  newest_ = std::max(newest_, step);
  Open fresh;
  fresh.step = step;
  fresh.phase = phases_.size() - 1;
  if (phases_.back().first_step < 0) phases_.back().first_step = step;
  open_.push_back(fresh);
}

void Recorder::add(std::int64_t step, Part part, double seconds) {
  open(step).sums.parts[static_cast<std::size_t>(part)] += seconds;
}

void Recorder::communication(double begin_s, double end_s, double wire_B) {
  if (open_.empty()) return;
  open_.front().sums.communication_s += end_s - begin_s;
  open_.front().sums.wire_B += wire_B;
}

void Recorder::end_step(std::int64_t step, double begin_s, double end_s, bool quiet) {
  Open& ending = open(step);
  ending.sums.duration_s += end_s - begin_s;
  ending.end_s = std::max(ending.end_s, end_s);
  if (++ending.ended < ranks_) return;
  models::ensure(&ending == &open_.front(), "steps end in order");
  close(ending, quiet);
  open_.pop_front();
}

void Recorder::close(Open& step, bool quiet) {
  step.sums.steps = 1.0;
  PhaseSums& phase = phases_[step.phase];
  const bool steady = phase.simulated > 0 && alike(phase.last.duration_s, step.sums.duration_s) &&
                      alike(phase.last.communication_s, step.sums.communication_s) &&
                      alike(phase.last.part(Part::exposed_communication), step.sums.part(Part::exposed_communication));
  const bool first_of_run = steps_closed_ == 0;
  if (!first_of_run) phase.steady += step.sums;
  phase.last = step.sums;
  ++phase.simulated;
  ++steps_closed_;
  note_end(step.step, step.end_s);
  if (skipping_ == Skipping::no || !steady || !quiet || skip_after_ >= step.step) return;
  // The newest step may be under way on some ranks: all of them still run it.
  if (phase.until <= newest_ + 1) return;
  skip_after_ = newest_;
  skip_to_ = phase.until;
  phase.skipped = phase.until - 1 - newest_;
}

void Recorder::note_end(std::int64_t step, double end_s) {
  last_end_ = {step, end_s};
  if ((steps_closed_ - 1) % end_stride_ != 0) return;
  step_ends_.push_back(last_end_);
  if (step_ends_.size() < most_ends) return;
  for (std::size_t i = 0; 2 * i < step_ends_.size(); ++i) step_ends_[i] = step_ends_[2 * i];
  step_ends_.resize(most_ends / 2);
  end_stride_ *= 2;
}

std::vector<std::pair<std::int64_t, double>> Recorder::step_ends() const {
  std::vector<std::pair<std::int64_t, double>> ends = step_ends_;
  if (!ends.empty() && ends.back().first != last_end_.first) ends.push_back(last_end_);
  return ends;
}

double Recorder::end_of(std::int64_t step) const {
  const auto after = std::lower_bound(step_ends_.begin(), step_ends_.end(), step,
                                      [](const auto& end, std::int64_t wanted) { return end.first < wanted; });
  const std::pair<std::int64_t, double>& next = after == step_ends_.end() ? last_end_ : *after;
  if (next.first == step || after == step_ends_.begin()) return next.second;
  const std::pair<std::int64_t, double>& before = *std::prev(after);
  const double share = static_cast<double>(step - before.first) / static_cast<double>(next.first - before.first);
  return before.second + share * (next.second - before.second);
}

std::int64_t Recorder::next_step(std::int64_t step) {
  if (step == skip_after_) return skip_to_;
  newest_ = std::max(newest_, step + 1);
  return step + 1;
}

std::int64_t Recorder::steps_skipped() const {
  std::int64_t skipped = 0;
  for (const PhaseSums& phase : phases_) skipped += phase.skipped;
  return skipped;
}

double Recorder::skipped_wire_B() const {
  double sum = 0.0;
  for (const PhaseSums& phase : phases_) sum += static_cast<double>(phase.skipped) * phase.last.wire_B;
  return sum;
}

void Recorder::span(int rank, int lane, const char* name, double begin_s, double end_s) {
  if (tracing_ == Tracing::off || end_s <= begin_s) return;
  if (spans_.size() >= most_spans) {
    spans_cut_ = true;
    return;
  }
  spans_.push_back({rank, lane, name, begin_s, end_s});
}

}  // namespace sim
