#pragma once
// Compressor: float vector <-> the bytes that cross the wire. Stateless; residuals live in the exchange.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/base/random.hpp"
#include "models/base/table.hpp"
#include "models/base/units.hpp"
#include "models/device/cost_model.hpp"

namespace models {

// The exact bytes of the wire format: what encode() returns is what the network is charged for.
struct Encoded {
  std::vector<std::byte> bytes;
  std::int64_t elements = 0;
};

enum class Bias { unbiased, biased };
enum class Summable { no, yes };                // can codes be added without decoding?
enum class Scaling { free, dimension, shape };  // does behaviour at d transfer to the full size? (design section 2)
struct Traits {
  Bias bias = Bias::biased;
  Summable summable = Summable::no;
  Scaling scaling = Scaling::free;
};

class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual Encoded encode(std::span<const float> values, Stream stream) const = 0;
  virtual void decode(const Encoded& code, std::span<float> values) const = 0;
  // At the full element count; nothing: depends on the data (measured and scaled).
  virtual std::optional<Bytes> wire_size(std::int64_t full_elements) const = 0;
  virtual Traits traits() const = 0;
  virtual Kernel encode_work(std::int64_t full_elements) const = 0;
  virtual Kernel decode_work(std::int64_t full_elements) const = 0;
};
using CompressorMaker = std::function<std::unique_ptr<Compressor>()>;  // called once per worker
const Table<CompressorMaker>& compressors();

}  // namespace models
