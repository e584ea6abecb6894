#pragma once
// Counter-based random streams (Random123 Philox4x32-10): what worker 3 draws at step 40 never depends on who drew before.
// Key = {seed low 32, seed high 16 | purpose 16}, seed < 2^48; counter = {draw, item, step, owner}, 32 bits each. Distributions are our own.

#include <cstdint>
#include <span>

namespace models {

enum class Purpose : std::uint16_t { data_noise = 1, problem = 2, dither = 3, arrivals = 4, routing = 5, jitter = 6, loss = 7 };  // append, never renumber

class Stream {
 public:
  constexpr Stream(std::uint64_t seed, Purpose purpose, std::uint32_t owner, std::uint32_t step, std::uint32_t item = 0)
      : seed_(seed), purpose_(purpose), owner_(owner), step_(step), item_(item) {}

  // Sequential draws.
  std::uint32_t word();
  double uniform();      // [0, 1), 32 bits
  double normal();       // own polynomial, no libm
  double exponential();  // mean 1
  std::uint64_t index(std::uint64_t count);  // [0, count)

  // Index-addressed: element i uses word i (normal: words 2i, 2i+1 or a documented rule), whatever the thread or vector width.
  // `first` offsets the element index, so blocks can be filled in parallel.
  void fill_uniform(std::span<float> out, std::uint64_t first = 0) const;
  void fill_normal(std::span<float> out, std::uint64_t first = 0) const;  // <= 3 ns per element

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint32_t owner_, step_, item_;
  std::uint64_t drawn_ = 0;
};

}  // namespace models
