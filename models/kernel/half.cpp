#include "models/kernel/half.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernel/half.cpp"
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

constexpr int fraction_bits = 13;  // that a binary16 lacks

// The halves of normal numbers take an integer addition that rounds; those of small ones a float addition that moves
// the fraction into place and lets the unit round it.
template <class D>
HWY_INLINE auto binary16(D d, hn::Vec<D> value) {
  const hn::RebindToSigned<D> ints;
  const auto bits = hn::BitCast(ints, value);
  const auto magnitude = hn::And(bits, hn::Set(ints, 0x7FFFFFFF));
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(ints, 0x8000));
  constexpr int least_normal = (127 - 14) << 23, beyond = (127 + 16) << 23, infinity = 255 << 23;
  const auto odd = hn::And(hn::ShiftRight<fraction_bits>(magnitude), hn::Set(ints, 1));
  const auto rebiased = hn::Add(hn::Sub(magnitude, hn::Set(ints, (127 - 15) << 23)),
                                hn::Add(odd, hn::Set(ints, (1 << (fraction_bits - 1)) - 1)));
  const auto normal = hn::ShiftRight<fraction_bits>(rebiased);
  const auto shift = hn::Set(d, 0.5f);  // its last place is 2^-24, the smallest binary16
  const auto small = hn::Sub(hn::BitCast(ints, hn::Add(hn::BitCast(d, magnitude), shift)), hn::BitCast(ints, shift));
  const auto special =
      hn::IfThenElse(hn::Gt(magnitude, hn::Set(ints, infinity)), hn::Set(ints, 0x7E00), hn::Set(ints, 0x7C00));
  auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(ints, least_normal)), small, normal);
  half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(ints, beyond)), half, special);
  return hn::Or(half, sign);
}

template <class D>
HWY_INLINE auto bfloat16(D, hn::Vec<D> value) {
  const hn::RebindToSigned<D> ints;
  const hn::RebindToUnsigned<D> words;
  const auto bits = hn::BitCast(words, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7FFF))));
  const auto magnitude = hn::And(hn::BitCast(ints, bits), hn::Set(ints, 0x7FFFFFFF));
  const auto quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(words, 0x40));  // rounding could end a NaN
  return hn::BitCast(
      ints, hn::IfThenElse(hn::RebindMask(words, hn::Gt(magnitude, hn::Set(ints, 255 << 23))), quiet, rounded));
}

void make_fp16(const float* values, std::uint16_t* halves, std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const hn::Rebind<std::uint16_t, decltype(d)> out;
    hn::StoreU(hn::DemoteTo(out, binary16(d, hn::LoadU(d, values + i))), out, halves + i);
  });
}

void make_bf16(const float* values, std::uint16_t* halves, std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const hn::Rebind<std::uint16_t, decltype(d)> out;
    hn::StoreU(hn::DemoteTo(out, bfloat16(d, hn::LoadU(d, values + i))), out, halves + i);
  });
}

void read_fp16(const std::uint16_t* halves, float* values, std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const hn::Rebind<std::uint16_t, decltype(d)> in;
    const hn::RebindToUnsigned<decltype(d)> words;
    const auto half = hn::PromoteTo(words, hn::LoadU(in, halves + i));
    const auto magnitude = hn::And(half, hn::Set(words, 0x7FFF));
    const auto scaled =  // exponents are 112 too low: a product mends normal and small numbers alike
        hn::Mul(hn::BitCast(d, hn::ShiftLeft<fraction_bits>(magnitude)), hn::Set(d, 0x1p112f));
    const auto special = hn::Or(hn::ShiftLeft<fraction_bits>(magnitude), hn::Set(words, 0x7F800000));
    const auto finite = hn::RebindMask(words, hn::Lt(hn::BitCast(hn::RebindToSigned<decltype(d)>(), magnitude),
                                                     hn::Set(hn::RebindToSigned<decltype(d)>(), 0x7C00)));
    const auto bits = hn::IfThenElse(finite, hn::BitCast(words, scaled), special);
    const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(words, 0x8000)));
    hn::StoreU(hn::BitCast(d, hn::Or(bits, sign)), d, values + i);
  });
}

void read_bf16(const std::uint16_t* halves, float* values, std::size_t count) {
  each(count, [=](auto d, std::size_t i) HWY_ATTR {
    const hn::Rebind<std::uint16_t, decltype(d)> in;
    const hn::RebindToUnsigned<decltype(d)> words;
    hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(words, hn::LoadU(in, halves + i)))), d, values + i);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace models {

HWY_EXPORT(make_fp16);
HWY_EXPORT(make_bf16);
HWY_EXPORT(read_fp16);
HWY_EXPORT(read_bf16);

void to_fp16(std::span<const float> values, std::span<std::uint16_t> halves) {
  HWY_DYNAMIC_DISPATCH(make_fp16)(values.data(), halves.data(), values.size());
}
void to_bf16(std::span<const float> values, std::span<std::uint16_t> halves) {
  HWY_DYNAMIC_DISPATCH(make_bf16)(values.data(), halves.data(), values.size());
}
void from_fp16(std::span<const std::uint16_t> halves, std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(read_fp16)(halves.data(), values.data(), values.size());
}
void from_bf16(std::span<const std::uint16_t> halves, std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(read_bf16)(halves.data(), values.data(), values.size());
}

}  // namespace models
#endif
