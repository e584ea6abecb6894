#include "sim/numeric/numeric_plane.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/pool.hpp"

namespace sim {
namespace {

constexpr std::size_t block =
    4096;  // elements one task of a mean handles; part of the result, so never a function of the threads

struct BlockMean {
  double squared_distance = 0.0;
};

// Mean over members of one block, in rank order and double; equal members give their common value exactly.
BlockMean mean_of_block(std::span<const std::span<const float>> members, std::size_t begin, std::size_t count,
                        float* mean) {
  const float* first = members[0].data() + begin;
  const bool equal = std::all_of(members.begin() + 1, members.end(), [&](std::span<const float> other) {
    return std::memcmp(other.data() + begin, first, count * sizeof(float)) == 0;
  });
  if (equal) {
    std::copy_n(first, count, mean);
    return {};
  }
  BlockMean result;
  const double n = static_cast<double>(members.size());
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0.0, squares = 0.0;
    for (const std::span<const float> member : members) sum += static_cast<double>(member[begin + i]);
    const double centre = sum / n;
    for (const std::span<const float> member : members) {
      const double distance = static_cast<double>(member[begin + i]) - centre;
      squares += distance * distance;
    }
    mean[i] = static_cast<float>(centre);
    result.squared_distance += squares;
  }
  return result;
}

}  // namespace

NumericPlane::NumericPlane(const TrainingProgram& program, std::uint64_t seed) : program_(&program) {
  models::ensure(program.job.learning.has_value(), "a numeric plane exists only when something is learnt");
  const std::size_t members = static_cast<std::size_t>(program.group.size());
  objective_ = program.job.learning->objective.make({seed, program.group.size(), &program.layout});
  const std::size_t dimension = static_cast<std::size_t>(program.layout.numeric_parameters);
  models::ensure(objective_->dimension() == program.layout.numeric_parameters,
                 "objective and layout have the same dimension");
  std::vector<float> start(dimension);
  objective_->start(start);
  optimum_ = objective_->optimum().value_or(0.0);
  start_gap_ = objective_->loss(start) - optimum_;
  weights_.assign(members, start);
  gradients_.assign(members, std::vector<float>(dimension));
  work_.resize(members);
}

models::Work NumericPlane::gradient_work(int member, std::int64_t step) {
  return [this, member, step] {
    // One gradient over the samples of all micro-batches: noise stated per worker and step does not shrink with
    // accumulation.
    objective_->gradient(weights(member), {member, step, 0, program_->job.micro_batch * program_->accumulation},
                         gradient(member));
  };
}

void NumericPlane::add(int member, models::Work work) {
  std::vector<models::Work>& queue = work_[static_cast<std::size_t>(member)];
  if (queue.empty()) waiting_.push_back(member);
  queue.push_back(std::move(work));
}

void NumericPlane::run_all() {
  models::parallel_for(waiting_.size(), [this](std::size_t i) {
    for (const models::Work& work : work_[static_cast<std::size_t>(waiting_[i])]) work();
  });
  for (const int member : waiting_) work_[static_cast<std::size_t>(member)].clear();
  waiting_.clear();
}

bool NumericPlane::evaluation_due(std::int64_t steps_done) const {
  return steps_done % program_->job.learning->evaluate_every == 0 || steps_done == program_->job.steps;
}

Trajectory::Row NumericPlane::evaluate(std::int64_t steps_done, std::span<const std::span<const float>> members) const {
  const std::size_t dimension = members[0].size(), blocks = (dimension + block - 1) / block;
  std::vector<float> mean(dimension);
  std::vector<BlockMean> parts(blocks);
  models::parallel_for(blocks, [&](std::size_t i) {
    const std::size_t begin = i * block;
    parts[i] = mean_of_block(members, begin, std::min(block, dimension - begin), mean.data() + begin);
  });
  double squares = 0.0;
  for (const BlockMean& part : parts) squares += part.squared_distance;
  Trajectory::Row row;
  row.step = steps_done;
  row.relative_gap = (objective_->loss(mean) - optimum_) / start_gap_;
  row.consensus_distance = std::sqrt(squares / static_cast<double>(members.size()));
  return row;
}

Trajectory::Row NumericPlane::evaluate(std::int64_t steps_done) const {
  const std::vector<std::span<const float>> members(weights_.begin(), weights_.end());
  return evaluate(steps_done, members);
}

bool NumericPlane::diverged(const Trajectory::Row& row) const {
  return !std::isfinite(row.relative_gap) || row.relative_gap > program_->job.learning->diverged_above;
}

}  // namespace sim
