#pragma once
// Physical amounts carry their unit in their type: 100_MB / 10_GBps is a Seconds. Text <-> amount lives in units.cpp.

#include <cmath>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace models {

// `Byte`, `Second`, `Flop` are the exponents of the unit. The value is in base units (B, s, flop) as a double: whole
// bytes are exact to 2^53.
template <int Byte, int Second, int Flop>
struct Quantity {
  double value = 0.0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const { return {value + other.value}; }
  constexpr Quantity operator-(Quantity other) const { return {value - other.value}; }
  constexpr Quantity operator-() const { return {-value}; }
  constexpr Quantity operator*(double factor) const { return {value * factor}; }
  constexpr Quantity operator/(double divisor) const { return {value / divisor}; }
  constexpr double operator/(Quantity other) const { return value / other.value; }
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator*(double factor, Quantity amount) { return {factor * amount.value}; }
};

template <int B1, int S1, int F1, int B2, int S2, int F2>
requires(B1 != B2 || S1 != S2 || F1 != F2) constexpr Quantity<B1 - B2, S1 - S2, F1 - F2> operator/(
    Quantity<B1, S1, F1> a, Quantity<B2, S2, F2> b) {
  return {a.value / b.value};
}
template <int B1, int S1, int F1, int B2, int S2, int F2>
requires(B1 + B2 != 0 || S1 + S2 != 0 || F1 + F2 != 0) constexpr Quantity<B1 + B2, S1 + S2, F1 + F2> operator*(
    Quantity<B1, S1, F1> a, Quantity<B2, S2, F2> b) {
  return {a.value * b.value};
}

using Bytes = Quantity<1, 0, 0>;
using Seconds = Quantity<0, 1, 0>;
using Flops = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<1, -1, 0>;
using FlopsPerSecond = Quantity<0, -1, 1>;
using PerSecond = Quantity<0, -1, 0>;

inline namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return {static_cast<double>(n)}; }
constexpr Bytes operator""_KB(unsigned long long n) { return {static_cast<double>(n) * 1e3}; }
constexpr Bytes operator""_MB(unsigned long long n) { return {static_cast<double>(n) * 1e6}; }
constexpr Bytes operator""_GB(unsigned long long n) { return {static_cast<double>(n) * 1e9}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return {static_cast<double>(n) * 1024.0}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return {static_cast<double>(n) * 1048576.0}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return {static_cast<double>(n) * 1073741824.0}; }
constexpr Seconds operator""_s(unsigned long long n) { return {static_cast<double>(n)}; }
constexpr Seconds operator""_ms(unsigned long long n) { return {static_cast<double>(n) * 1e-3}; }
constexpr Seconds operator""_us(unsigned long long n) { return {static_cast<double>(n) * 1e-6}; }
constexpr BytesPerSecond operator""_GBps(unsigned long long n) { return {static_cast<double>(n) * 1e9}; }
constexpr BytesPerSecond operator""_MBps(unsigned long long n) { return {static_cast<double>(n) * 1e6}; }
constexpr BytesPerSecond operator""_Gbps(unsigned long long n) { return {static_cast<double>(n) * 1e9 / 8.0}; }
constexpr FlopsPerSecond operator""_TFLOPS(unsigned long long n) { return {static_cast<double>(n) * 1e12}; }
}  // namespace literals

// Text a user wrote: `25 MB`, `25 MiB`, `10 Gb/s`, `450 GB/s`, `25 us` (or µs), `125 TFLOP/s`, `20 /s`. Nothing: not an
// amount of that kind. A bare number is not an amount, except 0.
std::optional<Bytes> read_bytes(std::string_view text);
std::optional<Seconds> read_seconds(std::string_view text);
std::optional<BytesPerSecond> read_bytes_per_second(std::string_view text);
std::optional<FlopsPerSecond> read_flops_per_second(std::string_view text);
std::optional<PerSecond> read_per_second(std::string_view text);
// `0.02` or `2 %`.
std::optional<double> read_fraction(std::string_view text);
// A finite decimal number, nothing else; `1e3` and `1_000` are numbers.
std::optional<double> read_number(std::string_view text);

// The shortest text that reads back to the same number.
std::string shortest(double value);
// For people: three or four significant digits and a fitting prefix (`2.28 s`, `672 MB`, `10 Gb/s`).
std::string text(Bytes amount);
std::string text(Seconds amount);
std::string text(BytesPerSecond amount);
std::string text(FlopsPerSecond amount);

}  // namespace models
