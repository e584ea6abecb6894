#include "models/base/random.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/base/random.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef WINDTUNNEL_PHILOX_COUNTER
#define WINDTUNNEL_PHILOX_COUNTER
namespace models {
namespace {
// A Philox key and counter; `draw` is that of the first block.
struct PhiloxCounter {
  std::uint32_t key[2];
  std::uint32_t draw, item, step, owner;
};
}  // namespace
}  // namespace models
#endif

HWY_BEFORE_NAMESPACE();
namespace models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> floats;
constexpr hn::RebindToSigned<decltype(floats)> ints;
constexpr hn::RebindToUnsigned<decltype(floats)> words;
constexpr hn::Repartition<std::uint64_t, decltype(words)> wides;
using Floats = hn::Vec<decltype(floats)>;
using Words = hn::Vec<decltype(words)>;
using Wides = hn::Vec<decltype(wides)>;

struct Block {
  Wides c0, c1, c2, c3;  // each counter word in the low half of its lane; the high half is ignored
};

// Philox4x32-10 on every lane (Salmon et al. 2011, section 3.3; constants of Random123's philox.h).
HWY_INLINE Block philox(Block c, const PhiloxCounter& counter) {
  const auto m0 = hn::BitCast(words, hn::Set(wides, 0xD2511F53u)), m1 = hn::BitCast(words, hn::Set(wides, 0xCD9E8D57u));
  std::uint32_t k0 = counter.key[0], k1 = counter.key[1];
  for (int round = 0; round < 10; ++round) {
    const Wides p0 = hn::MulEven(hn::BitCast(words, c.c0), m0), p1 = hn::MulEven(hn::BitCast(words, c.c2), m1);
    const Wides next0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c.c1), hn::Set(wides, k0));
    const Wides next2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c.c3), hn::Set(wides, k1));
    c = {next0, p1, next2, p0};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

struct FourWords {
  Words w0, w1, w2, w3;  // lane j: the words of counter block draw + j
};

HWY_INLINE Words interleaved(Wides even, Wides odd) {
  const Wides low = hn::And(even, hn::Set(wides, 0xFFFFFFFFu));
  return hn::BitCast(words, hn::Or(low, hn::ShiftLeft<32>(odd)));
}

HWY_INLINE FourWords draw(const PhiloxCounter& counter, std::uint32_t block) {
  const Wides even = hn::Add(hn::Set(wides, block), hn::ShiftLeft<1>(hn::Iota(wides, 0)));
  const Wides item = hn::Set(wides, counter.item), step = hn::Set(wides, counter.step),
              owner = hn::Set(wides, counter.owner);
  const Block a = philox({even, item, step, owner}, counter);
  const Block b = philox({hn::Add(even, hn::Set(wides, 1)), item, step, owner}, counter);
  return {interleaved(a.c0, b.c0), interleaved(a.c1, b.c1), interleaved(a.c2, b.c2), interleaved(a.c3, b.c3)};
}

HWY_INLINE Floats top_bits(Words w) { return hn::ConvertTo(floats, hn::BitCast(ints, hn::ShiftRight<8>(w))); }

HWY_INLINE Floats horner(Floats x, Floats sum, float next) { return hn::Add(hn::Mul(sum, x), hn::Set(floats, next)); }

// -ln(u), u = (k + 1) / 2^24 for the top 24 bits k. Polynomial of Cephes logf (Moshier 1992), relative error 1e-7.
HWY_INLINE Floats minus_log_uniform(Words w) {
  const Floats u = hn::Add(top_bits(w), hn::Set(floats, 1.0f));
  const auto bits = hn::BitCast(ints, u);
  auto exponent = hn::Sub(hn::ShiftRight<23>(bits), hn::Set(ints, 126 + 24));
  Floats m =
      hn::BitCast(floats, hn::Or(hn::And(bits, hn::Set(ints, 0x007fffff)), hn::Set(ints, 0x3f000000)));  // [0.5, 1)
  const auto low = hn::Lt(m, hn::Set(floats, 0.707106781186547524f));
  Floats e = hn::ConvertTo(floats, exponent);
  e = hn::Sub(e, hn::IfThenElseZero(low, hn::Set(floats, 1.0f)));
  const Floats x = hn::Sub(hn::Add(m, hn::IfThenElseZero(low, m)), hn::Set(floats, 1.0f));
  const Floats square = hn::Mul(x, x);
  Floats p = hn::Set(floats, 7.0376836292e-2f);
  p = horner(x, p, -1.1514610310e-1f);
  p = horner(x, p, 1.1676998740e-1f);
  p = horner(x, p, -1.2420140846e-1f);
  p = horner(x, p, 1.4249322787e-1f);
  p = horner(x, p, -1.6668057665e-1f);
  p = horner(x, p, 2.0000714765e-1f);
  p = horner(x, p, -2.4999993993e-1f);
  p = horner(x, p, 3.3333331174e-1f);
  Floats y = hn::Mul(hn::Mul(x, square), p);
  y = hn::Add(y, hn::Mul(e, hn::Set(floats, -2.12194440e-4f)));
  y = hn::Sub(y, hn::Mul(square, hn::Set(floats, 0.5f)));
  const Floats log = hn::Add(hn::Add(x, y), hn::Mul(e, hn::Set(floats, 0.693359375f)));
  return hn::Max(hn::Neg(log), hn::Zero(floats));
}

struct Pair {
  Floats x, y;
};

// Box-Muller (1958). The angle: bits 0 to 29 place it in an eighth turn either way (Cephes sinf and cosf there), bit 30
// turns it by a quarter, bit 31 by a half.
HWY_INLINE Pair normal_pair(Words radius_word, Words angle_word) {
  const Floats minus_log = minus_log_uniform(radius_word);
  const Floats radius = hn::Sqrt(hn::Add(minus_log, minus_log));
  constexpr float scale = static_cast<float>(6.283185307179586 / 0x1p34);
  const Floats a =
      hn::Mul(hn::ConvertTo(floats, hn::BitCast(ints, hn::ShiftLeft<2>(angle_word))), hn::Set(floats, scale));
  const Floats s = hn::Mul(a, a);
  Floats sine = hn::Set(floats, -1.9515295891e-4f);
  sine = horner(s, sine, 8.3321608736e-3f);
  sine = horner(s, sine, -1.6666654611e-1f);
  sine = hn::Add(a, hn::Mul(hn::Mul(sine, s), a));
  Floats cosine = hn::Set(floats, 2.443315711809948e-5f);
  cosine = horner(s, cosine, -1.388731625493765e-3f);
  cosine = horner(s, cosine, 4.166664568298827e-2f);
  cosine = hn::Mul(hn::Mul(cosine, s), s);
  cosine = hn::Add(hn::Sub(cosine, hn::Mul(s, hn::Set(floats, 0.5f))), hn::Set(floats, 1.0f));
  const Words sign = hn::And(angle_word, hn::Set(words, 0x80000000u));
  cosine = hn::BitCast(floats, hn::Xor(hn::BitCast(words, cosine), sign));
  const auto quarter =
      hn::MaskFromVec(hn::BitCast(floats, hn::BroadcastSignBit(hn::BitCast(ints, hn::ShiftLeft<1>(angle_word)))));
  return {hn::Mul(radius, hn::IfThenElse(quarter, sine, cosine)),
          hn::Mul(radius, hn::IfThenElse(quarter, cosine, sine))};
}

HWY_INLINE void store_normals(const FourWords& w, float* out) {
  const Pair a = normal_pair(w.w0, w.w1), b = normal_pair(w.w2, w.w3);
  hn::StoreInterleaved4(a.x, a.y, b.x, b.y, floats, out);
}

HWY_INLINE void store_uniforms(const FourWords& w, float* out) {
  const Floats scale = hn::Set(floats, 0x1p-24f);
  hn::StoreInterleaved4(hn::Mul(top_bits(w.w0), scale), hn::Mul(top_bits(w.w1), scale), hn::Mul(top_bits(w.w2), scale),
                        hn::Mul(top_bits(w.w3), scale), floats, out);
}

template <void (*Store)(const FourWords&, float*)>
void fill(const PhiloxCounter& counter, std::size_t skip, float* out, std::size_t count) {
  const std::size_t chunk = 4 * hn::Lanes(floats);
  HWY_ALIGN float scratch[4 * hn::MaxLanes(floats)];
  std::uint32_t block = counter.draw;
  for (std::size_t done = 0; done < count; block += static_cast<std::uint32_t>(chunk / 4)) {
    const FourWords drawn = draw(counter, block);
    if (skip == 0 && count - done >= chunk) {
      Store(drawn, out + done);
      done += chunk;
      continue;
    }
    Store(drawn, scratch);
    for (; skip < chunk && done < count; ++skip) out[done++] = scratch[skip];
    skip = 0;
  }
}

void fill_normals(const PhiloxCounter& counter, std::size_t skip, float* out, std::size_t count) {
  fill<store_normals>(counter, skip, out, count);
}
void fill_uniforms(const PhiloxCounter& counter, std::size_t skip, float* out, std::size_t count) {
  fill<store_uniforms>(counter, skip, out, count);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <Random123/philox.h>

#include <cmath>

#include "models/base/elementary.hpp"

namespace models {

HWY_EXPORT(fill_normals);
HWY_EXPORT(fill_uniforms);

namespace {

PhiloxCounter counter_at(std::uint64_t seed, Purpose purpose, std::uint32_t owner, std::uint32_t step,
                         std::uint32_t item, std::uint64_t block) {
  const auto high = static_cast<std::uint32_t>((seed >> 32) & 0xFFFFu);
  return {{static_cast<std::uint32_t>(seed), (high << 16) | static_cast<std::uint32_t>(purpose)},
          static_cast<std::uint32_t>(block),
          item,
          step,
          owner};
}

constexpr double two_to_minus_32 = 0x1p-32;

}  // namespace

std::uint32_t Stream::word() {
  if (drawn_ % 4 == 0) {
    const PhiloxCounter at = counter_at(seed_, purpose_, owner_, step_, item_, drawn_ / 4);
    const auto drawn = r123::Philox4x32()({{at.draw, at.item, at.step, at.owner}}, {{at.key[0], at.key[1]}});
    for (std::size_t i = 0; i < 4; ++i) block_[i] = drawn[i];
  }
  return block_[drawn_++ % 4];
}

double Stream::uniform() { return static_cast<double>(word()) * two_to_minus_32; }

double Stream::exponential() { return -natural_log((static_cast<double>(word()) + 0.5) * two_to_minus_32); }

double Stream::normal() {
  const double radius = std::sqrt(2.0 * exponential());
  return radius * cosine_of_turns(uniform());
}

std::uint64_t Stream::index(std::uint64_t count) {
  const std::uint64_t high = word();
  if (count <= 0xFFFFFFFFu) return (high * count) >> 32;
  const std::uint64_t wide = (high << 32) | word();
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(wide) * count) >> 64);
}

void Stream::fill_uniform(std::span<float> out, std::uint64_t first) const {
  HWY_DYNAMIC_DISPATCH(fill_uniforms)
  (counter_at(seed_, purpose_, owner_, step_, item_, first / 4), static_cast<std::size_t>(first % 4), out.data(),
   out.size());
}

void Stream::fill_normal(std::span<float> out, std::uint64_t first) const {
  HWY_DYNAMIC_DISPATCH(fill_normals)
  (counter_at(seed_, purpose_, owner_, step_, item_, first / 4), static_cast<std::size_t>(first % 4), out.data(),
   out.size());
}

}  // namespace models
#endif
