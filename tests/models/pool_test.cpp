#include "models/base/pool.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

TEST_CASE("each index is visited once, for any number of threads", "[base]") {
  for (const int threads : {1, 2, 5, 0}) {
    models::set_pool_threads(threads);
    if (threads > 0) CHECK(models::pool_threads() <= threads);
    CHECK(models::pool_threads() >= 1);
    for (const std::size_t count : {0u, 1u, 2u, 1009u}) {
      std::vector<int> visits(count, 0);
      models::parallel_for(count, [&](std::size_t i) { ++visits[i]; });
      CHECK(visits == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("an exception in a task reaches the caller", "[base]") {
  models::set_pool_threads(2);
  const auto fail = [](std::size_t i) {
    if (i == 7) throw std::runtime_error("seven");
  };
  CHECK_THROWS_AS(models::parallel_for(100, fail), std::runtime_error);
}
