#include <optional>
#include <utility>

#include "models/architecture/cnn.hpp"
#include "models/base/params.hpp"

namespace models {
namespace {

constexpr Range size{1.0, 1e6};

CnnLayer read_layer(Params& params) {
  CnnLayer layer;
  layer.kind = static_cast<CnnKind>(
      params.choice("layer", cnn_kind_names, "what the layer does; bottlenecks: ResNet blocks of three convolutions"));
  const bool pools = layer.kind == CnnKind::max_pool || layer.kind == CnnKind::average_pool;
  const std::optional<std::int64_t> no_channels = pools ? std::optional<std::int64_t>(0) : std::nullopt;
  layer.count = params.count("count", {1.0, 1000.0}, "equal layers in a row", 1);
  layer.channels =
      params.count("channels", {0.0, 1e6}, "output channels or features; inner width of bottlenecks", no_channels);
  layer.kernel = params.count("kernel", size, "side of the window", 1);
  layer.stride = params.count("stride", size, "step of the window", 1);
  layer.padding = params.count("padding", {0.0, 1e6}, "zeros around the image", 0);
  layer.size = params.count("size", size, "side of the image an average_pool leaves", 1);
  layer.batch_norm = params.flag("batch_norm", "batch norm after the convolution", false);
  layer.bias = params.flag("bias", "a bias per output channel", true);
  layer.relu = params.flag("relu", "ReLU after the layer", true);
  if (!params.describing() && !pools && layer.channels < 1)
    params.report("channels", "a layer has at least one channel");
  return layer;
}

// Follows the image through the network; the first layer that does not fit is reported.
void check(Params& params, const CnnShape& shape, const std::vector<Params>& places) {
  std::int64_t side = shape.image_size;
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    const CnnLayer& layer = shape.layers[i];
    Params place = places[i];
    const bool pools = layer.kind == CnnKind::max_pool || layer.kind == CnnKind::average_pool;
    if (i == 0 && pools) place.report("layer", "the first layer cannot be a pooling layer");
    if (layer.kind == CnnKind::average_pool) side = layer.size;
    if (layer.kind == CnnKind::linear) side = 1;
    const bool window = layer.kind == CnnKind::convolution || layer.kind == CnnKind::max_pool;
    for (std::int64_t repeat = 0; window && repeat < layer.count; ++repeat) {
      if (side + 2 * layer.padding < layer.kernel) {
        place.report("kernel", "the window is larger than the image that reaches this layer");
        return;
      }
      side = (side + 2 * layer.padding - layer.kernel) / layer.stride + 1;
    }
    if (layer.kind == CnnKind::bottlenecks) side = (side - 1) / layer.stride + 1;
  }
  if (shape.layers.back().kind != CnnKind::linear)
    params.report("layers", "the last layer must be linear: it gives the classes");
}

}  // namespace

std::unique_ptr<const Architecture> read_cnn(Params& params) {
  CnnShape shape;
  shape.name = params.text("name", "name shown in results", "custom cnn");
  params.text("source", "where the dimensions come from", "");
  shape.image_size = params.count("image_size", size, "side of the square input", 224);
  shape.image_channels = params.count("image_channels", size, "channels of the input", 3);
  std::vector<Params> places = params.list("layers", "the layers in order");
  for (Params& place : places) shape.layers.push_back(read_layer(place));
  if (params.describing()) return nullptr;
  if (shape.layers.empty()) {
    params.report("layers", "a network has at least one layer");
    return nullptr;
  }
  check(params, shape, places);
  return cnn(std::move(shape));
}

}  // namespace models
