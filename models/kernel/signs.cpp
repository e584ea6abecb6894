#include "models/kernel/signs.hpp"

#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernel/signs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, 16> floats;
using Floats = hn::Vec<decltype(floats)>;
using Mask = hn::Mask<decltype(floats)>;
constexpr std::size_t width = hn::MaxLanes(floats), group = 16;  // two bytes of bits at a time

HWY_INLINE std::uint32_t bits_of(Mask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(floats, mask, bytes);
  return static_cast<std::uint32_t>(bytes[0]) | (static_cast<std::uint32_t>(bytes[1]) << 8);
}

HWY_INLINE Mask mask_of(std::uint32_t bits) {
  const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8)};
  return hn::LoadMaskBits(floats, bytes);
}

HWY_INLINE void put(std::uint32_t bits, std::byte* out) {
  out[0] = static_cast<std::byte>(bits & 0xFFu);
  out[1] = static_cast<std::byte>((bits >> 8) & 0xFFu);
}

HWY_INLINE std::uint32_t got(const std::byte* in) {
  return std::to_integer<std::uint32_t>(in[0]) | (std::to_integer<std::uint32_t>(in[1]) << 8);
}

HWY_INLINE bool bit(const std::byte* bits, std::size_t i) {
  return ((std::to_integer<unsigned>(bits[i / 8]) >> (i % 8)) & 1u) != 0;
}

HWY_INLINE void put_tail(const float* values, std::size_t first, std::size_t count, std::byte* bits) {
  for (std::size_t i = first; i < count; ++i) {
    if (i % 8 == 0) bits[i / 8] = std::byte{0};
    if (values[i] >= 0.0f) bits[i / 8] |= static_cast<std::byte>(1u << (i % 8));
  }
}

void pack(const float* values, std::size_t count, std::byte* bits) {
  std::size_t i = 0;
  for (; i + group <= count; i += group) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < group; j += width)
      word |= bits_of(hn::Ge(hn::LoadU(floats, values + i + j), hn::Zero(floats))) << j;
    put(word, bits + i / 8);
  }
  put_tail(values, i, count, bits);
}

void pack_keep(float* values, std::size_t count, float scale, std::byte* bits) {
  const Floats plus = hn::Set(floats, scale), minus = hn::Set(floats, -scale);
  std::size_t i = 0;
  for (; i + group <= count; i += group) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < group; j += width) {
      const Floats value = hn::LoadU(floats, values + i + j);
      const Mask positive = hn::Ge(value, hn::Zero(floats));
      word |= bits_of(positive) << j;
      hn::StoreU(hn::Sub(value, hn::IfThenElse(positive, plus, minus)), floats, values + i + j);
    }
    put(word, bits + i / 8);
  }
  put_tail(values, i, count, bits);
  for (; i < count; ++i) values[i] -= bit(bits, i) ? scale : -scale;
}

void unpack(const std::byte* bits, float scale, float* values, std::size_t count) {
  const Floats plus = hn::Set(floats, scale), minus = hn::Set(floats, -scale);
  std::size_t i = 0;
  for (; i + group <= count; i += group) {
    const std::uint32_t word = got(bits + i / 8);
    for (std::size_t j = 0; j < group; j += width)
      hn::StoreU(hn::IfThenElse(mask_of(word >> j), plus, minus), floats, values + i + j);
  }
  for (; i < count; ++i) values[i] = bit(bits, i) ? scale : -scale;
}

void add(const std::byte* bits, float scale, float* values, std::size_t count) {
  const Floats plus = hn::Set(floats, scale), minus = hn::Set(floats, -scale);
  std::size_t i = 0;
  for (; i + group <= count; i += group) {
    const std::uint32_t word = got(bits + i / 8);
    for (std::size_t j = 0; j < group; j += width) {
      const Floats signed_scale = hn::IfThenElse(mask_of(word >> j), plus, minus);
      hn::StoreU(hn::Add(hn::LoadU(floats, values + i + j), signed_scale), floats, values + i + j);
    }
  }
  for (; i < count; ++i) values[i] += bit(bits, i) ? scale : -scale;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace models {

HWY_EXPORT(pack);
HWY_EXPORT(pack_keep);
HWY_EXPORT(unpack);
HWY_EXPORT(add);

void pack_signs(std::span<const float> values, std::span<std::byte> bits) {
  HWY_DYNAMIC_DISPATCH(pack)(values.data(), values.size(), bits.data());
}
void pack_signs_keep_residual(std::span<float> values, float scale, std::span<std::byte> bits) {
  HWY_DYNAMIC_DISPATCH(pack_keep)(values.data(), values.size(), scale, bits.data());
}
void unpack_signs(std::span<const std::byte> bits, float scale, std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(unpack)(bits.data(), scale, values.data(), values.size());
}
void add_signs(std::span<const std::byte> bits, float scale, std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(add)(bits.data(), scale, values.data(), values.size());
}

}  // namespace models
#endif
