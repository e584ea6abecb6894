#include "sim/numeric/host_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace sim {
namespace {

constexpr Bytes weight_and_gradient{8.0};  // fp32, per numeric parameter and rank

bool held_by_algorithm(models::MemoryCategory category) {
  return category == models::MemoryCategory::optimizer_state || category == models::MemoryCategory::error_feedback ||
         category == models::MemoryCategory::communication_buffers;
}

}  // namespace

Bytes numeric_memory(const TrainingProgram& program) {
  if (!program.job.learning) return {};
  // An algorithm holds the same vectors in both planes, at the length of each.
  Bytes algorithm{};
  for (const models::Buffer& buffer : program.buffers)
    if (held_by_algorithm(buffer.category)) algorithm += buffer.size;
  const double elements = static_cast<double>(program.layout.numeric_parameters);
  const double share = elements / static_cast<double>(program.layout.full_parameters);
  const int ranks = program.group.size();
  Bytes sum = static_cast<double>(ranks) * (elements * weight_and_gradient + algorithm * share);
  if (const auto& objective = program.job.learning->objective; objective.memory) sum += objective.memory(ranks);
  return sum;
}

void check_numeric_memory(const TrainingProgram& program, Bytes available, int processes) {
  const Bytes each = numeric_memory(program), all = static_cast<double>(processes) * each;
  if (all <= available) return;
  const double dimension = static_cast<double>(program.job.learning->dimension);
  const auto largest = static_cast<std::int64_t>(std::floor(dimension * (available / all)));
  throw models::Error(
      program.job.learning->dimension_place,
      fmt::format("the numbers of {} ranks take {}{}, this machine has {} left", program.group.size(),
                  models::text(each), processes > 1 ? fmt::format(" in each of {} processes at once", processes) : "",
                  models::text(available)),
      fmt::format("the largest dimension that fits is {}; or take fewer ranks{}", std::max<std::int64_t>(1, largest),
                  processes > 1 ? ", or fewer --jobs" : ""));
}

}  // namespace sim
