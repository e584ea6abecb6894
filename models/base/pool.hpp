#pragma once
// Thread pool for numeric work (oneTBB behind it). Results never depend on the number of threads: a task writes only
// its own buffers.

#include <cstddef>
#include <functional>

namespace models {

// Threads the numeric plane may use from now on in this process, at most one per core; 0: all cores. Call before the
// first parallel_for.
void set_pool_threads(int threads);
int pool_threads();

// Calls body(i) for i in [0, count), on any thread, in any order; returns when all are done.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace models
