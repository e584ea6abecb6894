#include "models/base/pool.hpp"

#include <algorithm>
#include <memory>

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace models {
namespace {

int wanted_threads = 0;
// Made at the first parallel_for, so a process that forks before has no thread.
std::unique_ptr<tbb::task_arena> arena;

}  // namespace

void set_pool_threads(int threads) {
  wanted_threads = threads < 0 ? 0 : threads;
  arena.reset();
}

int pool_threads() {
  const int cores = tbb::info::default_concurrency();
  return wanted_threads > 0 ? std::min(wanted_threads, cores) : cores;
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count <= 1 || pool_threads() == 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  if (!arena) arena = std::make_unique<tbb::task_arena>(pool_threads());
  arena->execute([&] { tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { body(i); }); });
}

}  // namespace models
