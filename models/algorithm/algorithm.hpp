#pragma once
// Algorithm: optimizer x exchange, in the words of its paper. run() is the whole training of one rank.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/algorithm/buffers.hpp"
#include "models/algorithm/worker.hpp"
#include "models/base/table.hpp"
#include "models/compression/compressor.hpp"

namespace models {

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual Task run(Worker& self) = 0;
  virtual std::vector<Buffer> buffers(const Layout& layout, const Group& group) const = 0;
};

// What the planner must know before it builds workers.
struct AlgorithmSpec {
  std::function<std::unique_ptr<Algorithm>(const Layout& layout, int ranks, std::int64_t steps)>
      make;  // once per worker
  // May a loss-free synchronous trajectory be computed once and joined with every sweep point's step times? (design
  // section 2) False when decisions of the numeric plane (automatic freeze) change the timing plane.
  bool trajectory_independent_of_time = true;
  Scaling scaling = Scaling::free;
  double horizon_steps = 0.0;  // of its slowest average, see Optimizer: numbers of a shorter run are an illustration
  // Load-time checks: numeric padding above 1 % at this rank count and dimension, freeze step against (1 - beta2), ...
  struct Finding {
    std::string key, message, hint;
    bool error;
  };  // key: relative to the algorithm's mapping; "" the mapping itself
  // numeric_elements 0: timing only.
  struct Check {
    std::function<std::vector<Finding>(int ranks, std::int64_t numeric_elements, std::int64_t steps, Chunking)>
        findings;
    explicit operator bool() const { return static_cast<bool>(findings); }
    std::vector<Finding> operator()(int ranks, std::int64_t numeric_elements, std::int64_t steps,
                                    Chunking chunking = Chunking::automatic) const {
      return findings(ranks, numeric_elements, steps, chunking);
    }
  } check;
};
const Table<AlgorithmSpec>& algorithms();

}  // namespace models
