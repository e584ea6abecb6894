#include <catch2/catch.hpp>

#include "models/architecture/layout.hpp"
#include "models/base/error.hpp"

using namespace models;

namespace {

using Layers = std::vector<std::pair<std::string, std::int64_t>>;
const Layers bert_like{{"embedding", 31'782'912},
                       {"block 0", 12'596'224},
                       {"block 1", 12'596'224},
                       {"block 2", 12'596'224},
                       {"head", 2'048}};

void check_sums(const Layout& layout, const Layers& layers, std::int64_t numeric) {
  std::int64_t full = 0, begin = 0, bucket_full = 0, bucket_numeric = 0;
  REQUIRE(layout.layers.size() == layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    CHECK(layout.layers[i].full_parameters == layers[i].second);
    CHECK(layout.layers[i].numeric_begin == begin);
    if (numeric > 0 && layers[i].second > 0) CHECK(layout.layers[i].numeric_count >= 1);
    begin += layout.layers[i].numeric_count;
    full += layers[i].second;
  }
  CHECK(begin == numeric);
  CHECK(layout.full_parameters == full);
  CHECK(layout.numeric_parameters == numeric);
  int next = static_cast<int>(layers.size()) - 1;
  for (const Bucket& bucket : layout.buckets) {
    CHECK(bucket.last_layer == next);
    CHECK(bucket.first_layer <= bucket.last_layer);
    CHECK(bucket.numeric_begin == layout.layers[static_cast<std::size_t>(bucket.first_layer)].numeric_begin);
    next = bucket.first_layer - 1;
    bucket_full += bucket.full_parameters;
    bucket_numeric += bucket.numeric_count;
  }
  CHECK(next == -1);
  CHECK(bucket_full == full);
  CHECK(bucket_numeric == numeric);
}

}  // namespace

TEST_CASE("a layout loses neither parameters nor numeric elements, whatever the sizes", "[architecture]") {
  const std::vector<Layers> all{bert_like,
                                {{"only", 1}},
                                {{"a", 7}, {"b", 1}, {"c", 1}, {"d", 1'000'003}},
                                {{"a", 3}, {"pool", 0}, {"b", 5}},
                                {{"a", 175'000'000'000}, {"b", 13}, {"c", 12'900'000'000}}};
  for (const Layers& layers : all)
    for (const std::int64_t numeric : {0, 5, 31, 1'000, 20'480, 102'400})
      for (const Bytes bucket : {1_B, 25_MiB, 1000_GB})
        check_sums(layout(layers, numeric, bucket, 2_B), layers, numeric);
}

TEST_CASE("numeric elements follow the parameters' proportions and the remainder goes to the largest layer",
          "[architecture]") {
  const Layout result = layout({{"a", 10}, {"b", 20}, {"c", 10}}, 9, 1_B, 2_B);  // 2.25, 4.5, 2.25
  CHECK(result.layers[0].numeric_count == 2);
  CHECK(result.layers[1].numeric_count == 5);
  CHECK(result.layers[2].numeric_count == 2);
}

TEST_CASE("small layers get one numeric element, taken from the largest", "[architecture]") {
  const Layout result = layout({{"a", 1'000'000}, {"b", 1}, {"c", 1}}, 3, 1_B, 2_B);
  for (const LayerSlice& layer : result.layers) CHECK(layer.numeric_count == 1);
}

TEST_CASE("a bucket closes when it reaches its size, and never splits a layer", "[architecture]") {
  const Layout result =
      layout({{"a", 4}, {"b", 3}, {"c", 3}, {"d", 2}}, 0, 10_B, 2_B);  // backward: d 4 B, c 6 B | b 6 B, a 8 B
  REQUIRE(result.buckets.size() == 2);
  CHECK(result.buckets[0].first_layer == 2);
  CHECK(result.buckets[0].full_parameters == 5);
  CHECK(result.buckets[1].full_parameters == 7);
}

TEST_CASE("fewer numeric elements than layers is a broken invariant", "[architecture]") {
  CHECK_THROWS_AS(layout(bert_like, 4, 25_MiB, 2_B), Bug);
}
