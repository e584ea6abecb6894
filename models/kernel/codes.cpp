#include "models/kernel/codes.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernel/codes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> vectors;
constexpr hn::CappedTag<float, 1> single;

template <class Body>
HWY_INLINE void each(std::size_t count, const Body& body) {
  std::size_t i = 0;
  for (; i + hn::Lanes(vectors) <= count; i += hn::Lanes(vectors)) body(vectors, i);
  for (; i < count; ++i) body(single, i);
}

// A value that is not finite becomes level 0, so that no code leaves its bits. Levels are not negative: truncation is
// the floor.
template <class D>
HWY_INLINE auto level(D d, hn::Vec<D> value, float levels) {
  const hn::RebindToSigned<D> ints;
  const auto clamped = hn::Min(hn::Max(value, hn::Zero(d)), hn::Set(d, levels));
  return hn::ConvertTo(ints, hn::IfThenElseZero(hn::Eq(value, value), clamped));
}

template <class D>
HWY_INLINE void store(D, hn::Vec<hn::RebindToSigned<D>> code, std::uint16_t* out) {
  const hn::Rebind<std::uint16_t, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, code), narrow, out);
}

template <class D>
HWY_INLINE auto loaded(D, const std::uint16_t* codes) {
  const hn::Rebind<std::uint16_t, D> narrow;
  const hn::RebindToSigned<D> ints;
  return hn::PromoteTo(ints, hn::LoadU(narrow, codes));
}

void magnitudes(const float* values, float factor, float levels, int sign_bit, const float* uniforms,
                std::uint16_t* codes, std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> ints;
    const auto value = hn::LoadU(d, values + i);
    const auto scaled = hn::Add(hn::Mul(hn::Abs(value), hn::Set(d, factor)), hn::LoadU(d, uniforms + i));
    const auto sign = hn::And(hn::BroadcastSignBit(hn::BitCast(ints, value)), hn::Set(ints, 1 << sign_bit));
    store(d, hn::Or(level(d, scaled, levels), sign), codes + i);
  });
}

void signed_values(const std::uint16_t* codes, float step, int sign_bit, float* values, std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> ints;
    const auto code = loaded(d, codes + i);
    const auto magnitude =
        hn::Mul(hn::ConvertTo(d, hn::And(code, hn::Set(ints, (1 << sign_bit) - 1))), hn::Set(d, step));
    const auto negative = hn::Ne(hn::And(code, hn::Set(ints, 1 << sign_bit)), hn::Zero(ints));
    hn::StoreU(hn::IfThenElse(hn::RebindMask(d, negative), hn::Neg(magnitude), magnitude), d, values + i);
  });
}

void offsets(const float* values, float low, float factor, float levels, const float* uniforms, std::uint16_t* codes,
             std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const auto above = hn::Mul(hn::Sub(hn::LoadU(d, values + i), hn::Set(d, low)), hn::Set(d, factor));
    store(d, level(d, hn::Add(above, hn::LoadU(d, uniforms + i)), levels), codes + i);
  });
}

void nearest(const float* values, float factor, float high, float levels, std::uint16_t* codes, std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const auto rounded = hn::Round(hn::Mul(hn::LoadU(d, values + i), hn::Set(d, factor)));
    const auto counted = hn::Sub(hn::Min(rounded, hn::Set(d, high)), hn::Set(d, high - levels));
    store(d, level(d, counted, levels), codes + i);
  });
}

void offset_values(const std::uint16_t* codes, float low, float step, float* values, std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const auto counted = hn::Add(hn::ConvertTo(d, loaded(d, codes + i)), hn::Set(d, low));
    hn::StoreU(hn::Mul(counted, hn::Set(d, step)), d, values + i);
  });
}

Extremes both_ends(const float* values, std::size_t count) {
  if (count == 0) return {};
  auto low = hn::Set(vectors, values[0]), high = low;
  std::size_t i = 0;
  for (; i + hn::Lanes(vectors) <= count; i += hn::Lanes(vectors)) {
    const auto value = hn::LoadU(vectors, values + i);
    low = hn::Min(low, value), high = hn::Max(high, value);
  }
  Extremes found{hn::GetLane(hn::MinOfLanes(vectors, low)), hn::GetLane(hn::MaxOfLanes(vectors, high))};
  for (; i < count; ++i) found = {std::min(found.low, values[i]), std::max(found.high, values[i])};
  return found;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace models {

HWY_EXPORT(magnitudes);
HWY_EXPORT(signed_values);
HWY_EXPORT(offsets);
HWY_EXPORT(nearest);
HWY_EXPORT(offset_values);
HWY_EXPORT(both_ends);

void pack_codes(std::span<const std::uint16_t> codes, int width, std::span<std::byte> packed) {
  const std::uint32_t mask = (1u << width) - 1u;
  std::uint64_t held = 0;
  int bits = 0;
  std::size_t at = 0;
  for (const std::uint16_t code : codes) {
    held |= static_cast<std::uint64_t>(code & mask) << bits;
    bits += width;
    for (; bits >= 8; bits -= 8, held >>= 8) packed[at++] = static_cast<std::byte>(held & 0xFFu);
  }
  if (bits > 0) packed[at] = static_cast<std::byte>(held & 0xFFu);
}

void unpack_codes(std::span<const std::byte> packed, int width, std::span<std::uint16_t> codes) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1u;
  std::uint64_t held = 0;
  int bits = 0;
  std::size_t at = 0;
  for (std::uint16_t& code : codes) {
    for (; bits < width; bits += 8) held |= std::to_integer<std::uint64_t>(packed[at++]) << bits;
    code = static_cast<std::uint16_t>(held & mask);
    held >>= width;
    bits -= width;
  }
}

void dithered_magnitudes(std::span<const float> values, float factor, std::uint16_t levels, int sign_bit,
                         std::span<const float> uniforms, std::span<std::uint16_t> codes) {
  HWY_DYNAMIC_DISPATCH(magnitudes)
  (values.data(), factor, static_cast<float>(levels), sign_bit, uniforms.data(), codes.data(), values.size());
}
void signed_levels(std::span<const std::uint16_t> codes, float step, int sign_bit, std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(signed_values)(codes.data(), step, sign_bit, values.data(), values.size());
}
void dithered_offsets(std::span<const float> values, float low, float factor, std::uint16_t levels,
                      std::span<const float> uniforms, std::span<std::uint16_t> codes) {
  HWY_DYNAMIC_DISPATCH(offsets)
  (values.data(), low, factor, static_cast<float>(levels), uniforms.data(), codes.data(), values.size());
}
void nearest_offsets(std::span<const float> values, float factor, float high, std::uint16_t levels,
                     std::span<std::uint16_t> codes) {
  HWY_DYNAMIC_DISPATCH(nearest)
  (values.data(), factor, high, static_cast<float>(levels), codes.data(), values.size());
}
void offset_levels(std::span<const std::uint16_t> codes, float low, float step, std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(offset_values)(codes.data(), low, step, values.data(), values.size());
}
Extremes extremes(std::span<const float> values) {
  return HWY_DYNAMIC_DISPATCH(both_ends)(values.data(), values.size());
}
float largest_magnitude(std::span<const float> values) {
  const Extremes ends = extremes(values);
  return std::max(ends.high, -ends.low);
}

}  // namespace models
#endif
