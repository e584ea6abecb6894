#pragma once
// Exchange: how a vector is averaged over a group. One exchange object per worker: residuals live here.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/algorithm/buffers.hpp"
#include "models/algorithm/worker.hpp"
#include "models/base/table.hpp"

namespace models {

class Exchange {
 public:
  virtual ~Exchange() = default;
  // Averages `inout` (numeric; empty in timing-only runs), whose full-size image has `full_elements`, over
  // self.group().
  virtual Task average(Worker& self, std::int64_t full_elements, std::span<float> inout) = 0;
  virtual std::vector<Buffer> buffers(std::int64_t full_elements, const Group& group) const = 0;
  virtual Bytes wire_bytes(std::int64_t full_elements, const Group& group) const = 0;  // sent per rank and call
};
// What only the built world knows.
struct ExchangeWorld {
  int ranks = 1;
  std::int64_t numeric_elements = 0, full_elements = 0;
  Chunking chunking = Chunking::automatic;
};
using ExchangeMaker = std::function<std::unique_ptr<Exchange>(const ExchangeWorld&)>;
const Table<ExchangeMaker>& exchanges();

}  // namespace models
