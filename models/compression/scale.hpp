#pragma once
// The scale that a vector of signs is sent with.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace models {

class Params;

enum class SignScale : std::size_t { l2, l1 };
inline constexpr std::string_view sign_scale_names[] = {"l2", "l1"};

// l2: |v|_2 / sqrt(n); l1: |v|_1 / n. `elements` may exceed the vector: padding of zeros takes part. 0 for no elements.
float sign_scale(SignScale kind, std::span<const float> values, std::int64_t elements);
SignScale read_sign_scale(Params& params);  // key `scale`, default l2

}  // namespace models
