#pragma once
// Objective: what training minimises when loss curves are wanted.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "models/architecture/layout.hpp"
#include "models/base/random.hpp"
#include "models/base/table.hpp"
#include "models/base/units.hpp"

namespace models {

// The same sample can be asked for twice. `samples`: how many samples this gradient averages over: with one call per
// step (micro_batch 0) those of all micro-batches.
struct Sample {
  int worker = 0;
  std::int64_t step = 0;
  std::int64_t micro_batch = 0;
  std::int64_t samples = 1;
};

class Objective {
 public:
  virtual ~Objective() = default;
  virtual std::int64_t dimension() const = 0;
  virtual void start(std::span<float> weights) const = 0;         // x0, equal on all workers
  virtual double loss(std::span<const float> weights) const = 0;  // noise-free mean over workers
  virtual std::optional<double> optimum() const = 0;              // f*, where known
  virtual void gradient(std::span<const float> weights, const Sample& sample, std::span<float> out) const = 0;
  virtual std::string axis() const = 0;  // "gap of layered_quadratic, d = 102,400"
};
// What only the built world knows.
struct ObjectiveWorld {
  std::uint64_t seed = 1;
  int workers = 1;
  const Layout* layout = nullptr;  // layers with their numeric slices
  std::function<std::string(const std::string& file)>
      read_text{};  // a data file the scenario names; throws Error. Only objectives with files ask
};
struct ObjectiveSpec {
  std::int64_t dimension = 0;  // numeric parameters it wants
  std::function<std::unique_ptr<const Objective>(const ObjectiveWorld&)> make;
  std::function<Bytes(int workers)> memory{};  // what an objective holds, where that is known before it is made
};
const Table<ObjectiveSpec>& objectives();

}  // namespace models
