#pragma once
// Convolutional networks: a compact list of layers -> parameters, kernels, activations.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/architecture/kernels.hpp"
#include "models/architecture/step_plan.hpp"

namespace models {

enum class CnnKind { convolution, max_pool, average_pool, bottlenecks, linear };
inline constexpr std::string_view cnn_kind_names[] = {"convolution", "max_pool", "average_pool", "bottlenecks",
                                                      "linear"};

struct CnnLayer {
  CnnKind kind = CnnKind::convolution;
  std::int64_t count = 1;     // equal layers in a row; of bottlenecks only the first has the stride
  std::int64_t channels = 0;  // outputs; of a bottleneck its inner width, the block gives 4 times that
  std::int64_t kernel = 1, stride = 1, padding = 0;
  std::int64_t size = 1;  // average_pool: side of the image it leaves
  bool batch_norm = false, bias = true, relu = true;
};

struct CnnShape {
  std::string name;
  std::int64_t image_size = 224, image_channels = 3;
  std::vector<CnnLayer> layers;
};

std::unique_ptr<const Architecture> cnn(CnnShape shape);
std::unique_ptr<const Architecture> read_cnn(Params& params);

}  // namespace models
