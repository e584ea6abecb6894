#pragma once
// Counter-based random streams (Random123 Philox4x32-10, Salmon et al., SC 2011): what worker 3 draws at step 40 never
// depends on who drew before. Key = {seed low 32, seed high 16 | purpose 16}, seed < 2^48; counter = {draw, item, step,
// owner}, 32 bits each. Distributions are our own.

#include <array>
#include <cstdint>
#include <span>

namespace models {

enum class Purpose : std::uint16_t {
  data_noise = 1,
  problem = 2,
  dither = 3,
  arrivals = 4,
  routing = 5,
  jitter = 6,
  loss = 7
};  // append, never renumber

class Stream {
 public:
  constexpr Stream(std::uint64_t seed, Purpose purpose, std::uint32_t owner, std::uint32_t step, std::uint32_t item = 0)
      : seed_(seed), purpose_(purpose), owner_(owner), step_(step), item_(item) {}

  // Sequential draws: word k is word k % 4 of counter block k / 4.
  std::uint32_t word();
  double uniform();                          // [0, 1), 32 bits
  double normal();                           // Box-Muller on two words
  double exponential();                      // mean 1
  std::uint64_t index(std::uint64_t count);  // [0, count), count > 0; bias below count / 2^32 (2^64 above 2^32)

  // Index-addressed, whatever the thread or vector width: uniform element i uses the top 24 bits of word i; normal
  // elements 2j and 2j + 1 are the Box-Muller pair of words 2j and 2j + 1 (|z| <= 5.77). `first` offsets the element
  // index, so blocks can be filled in parallel.
  void fill_uniform(std::span<float> out, std::uint64_t first = 0) const;
  void fill_normal(std::span<float> out, std::uint64_t first = 0) const;

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint32_t owner_, step_, item_;
  std::uint64_t drawn_ = 0;
  std::array<std::uint32_t, 4> block_{};  // the counter block that holds the next word, once drawn from
};

}  // namespace models
