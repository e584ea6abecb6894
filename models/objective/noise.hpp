#pragma once
// Gradient noise of a synthetic objective.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace models {

class Params;

enum class NoisePer : std::size_t { sample, worker_step };
inline constexpr std::string_view noise_per_names[] = {"sample", "worker_step"};
enum class NoiseShape : std::size_t { flat, curvature };
inline constexpr std::string_view noise_shape_names[] = {"flat", "curvature"};

struct Noise {
  double std = 0.0;          // of one coordinate (flat), or over its curvature (curvature)
  double noise_scale = 0.0;  // samples; above 0: replaces std (McCandlish et al. 2018, simple noise scale tr(Sigma) /
                             // |G|^2 at the start)
  NoisePer per = NoisePer::sample;
  NoiseShape shape = NoiseShape::flat;
};

// Key `noise`: {std | noise_scale, per, shape}; absent: none.
Noise read_noise(Params& params);
// Standard deviation of a gradient over `samples` samples.
double noise_std(const Noise& noise, std::int64_t samples);

}  // namespace models
