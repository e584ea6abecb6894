#include "models/architecture/layout.hpp"

#include <algorithm>
#include <cstddef>

#include "models/base/error.hpp"

namespace models {
namespace {

__extension__ typedef __int128 Wide;  // elements x parameters passes 2^63

// Elements per layer: floor of the proportion, at least 1 where there are parameters; the largest layer takes what is
// left.
std::vector<std::int64_t> shares(const std::vector<std::pair<std::string, std::int64_t>>& layers, std::int64_t full,
                                 std::int64_t numeric) {
  std::vector<std::int64_t> counts;
  std::int64_t left = numeric;
  for (const auto& layer : layers) {
    const auto proportion = static_cast<std::int64_t>(static_cast<Wide>(numeric) * layer.second / full);
    counts.push_back(layer.second > 0 ? std::max<std::int64_t>(proportion, 1) : 0);
    left -= counts.back();
  }
  if (left > 0) {
    const auto largest = std::max_element(layers.begin(), layers.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    counts[static_cast<std::size_t>(largest - layers.begin())] += left;
  }
  for (; left < 0; ++left) --*std::max_element(counts.begin(), counts.end());  // the ones given to small layers
  return counts;
}

}  // namespace

Layout layout(const std::vector<std::pair<std::string, std::int64_t>>& layers, std::int64_t numeric_parameters,
              Bytes bucket_size, Bytes element_size) {
  ensure(!layers.empty(), "a layout has at least one layer");
  ensure(bucket_size.value > 0 && element_size.value > 0, "bucket and element sizes are positive");
  Layout result;
  std::int64_t with_parameters = 0;
  for (const auto& layer : layers) {
    ensure(layer.second >= 0, "a layer's parameters are not negative");
    result.full_parameters += layer.second;
    with_parameters += layer.second > 0;
  }
  ensure(with_parameters > 0, "some layer has parameters");
  ensure(numeric_parameters == 0 || numeric_parameters >= with_parameters, "each layer has a numeric element");
  result.numeric_parameters = numeric_parameters;

  const std::vector<std::int64_t> counts = shares(layers, result.full_parameters, numeric_parameters);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::int64_t count = numeric_parameters == 0 ? 0 : counts[i];
    result.layers.push_back({layers[i].first, layers[i].second, begin, count});
    begin += count;
  }

  bool open = false;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const LayerSlice& layer = result.layers[i];
    if (!open) result.buckets.push_back({static_cast<int>(i), static_cast<int>(i), 0, 0, 0});
    Bucket& bucket = result.buckets.back();
    bucket.first_layer = static_cast<int>(i);
    bucket.full_parameters += layer.full_parameters;
    bucket.numeric_begin = layer.numeric_begin;
    bucket.numeric_count += layer.numeric_count;
    open = static_cast<double>(bucket.full_parameters) * element_size < bucket_size;
  }
  // Trailing layers without parameters make no message of their own.
  if (result.buckets.size() > 1 && result.buckets.back().full_parameters == 0) {
    const int first = result.buckets.back().first_layer;
    result.buckets.pop_back();
    result.buckets.back().first_layer = first;
  }
  return result;
}

}  // namespace models
