#include "models/objective/noise.hpp"

#include <cmath>

#include "models/base/params.hpp"

namespace models {

Noise read_noise(Params& params) {
  std::optional<Params> section = params.optional_section("noise", "gradient noise");
  if (!section) return {};
  Noise noise;
  const bool both = section->has("std") && section->has("noise_scale");
  noise.std = section->number("std", not_negative, "standard deviation of a gradient coordinate", 0.0);
  noise.noise_scale = static_cast<double>(
      section->count("noise_scale", not_negative,
                     "samples at which noise and gradient are equal at the start (McCandlish et al. 2018)", 0));
  noise.per = static_cast<NoisePer>(section->choice(
      "per", noise_per_names, "sample: falls with the root of the worker's batch; worker_step: as it is", 0));
  noise.shape = static_cast<NoiseShape>(section->choice(
      "shape", noise_shape_names, "flat: equal everywhere; curvature: in proportion to the curvature", 0));
  if (section->describing()) return noise;
  if (both) section->report("noise_scale", "noise is given twice, as std and as noise_scale", "keep one of them");
  if (noise.noise_scale > 0.0 && noise.per == NoisePer::worker_step)
    section->report("per", "noise_scale counts samples, so it goes with `per: sample`", "remove `per`, or give `std`");
  return noise;
}

double noise_std(const Noise& noise, std::int64_t samples) {
  if (noise.per == NoisePer::worker_step) return noise.std;
  return noise.std / std::sqrt(static_cast<double>(samples));
}

}  // namespace models
