#include "models/base/elementary.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace models {
namespace {

// ln 2 split so that high x exponent is exact (Cody and Waite 1980).
constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
constexpr double two_pi = 6.283185307179586476925286766559;

// |angle| <= pi/4: Taylor to degree 17, remainder below 1e-17.
double sine_near_zero(double angle) {
  const double s = angle * angle;
  double sum = 1.0;
  for (int n = 16; n >= 2; n -= 2) sum = 1.0 - sum * (s / (static_cast<double>(n) * static_cast<double>(n + 1)));
  return angle * sum;
}
double cosine_near_zero(double angle) {
  const double s = angle * angle;
  double sum = 1.0;
  for (int n = 17; n >= 1; n -= 2) sum = 1.0 - sum * (s / (static_cast<double>(n) * static_cast<double>(n + 1)));
  return sum;
}

}  // namespace

double natural_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);  // [1, 2)
  constexpr double sqrt2 = 1.4142135623730951;
  if (mantissa > sqrt2) {
    mantissa *= 0.5;
    exponent += 1;
  }
  // ln m = 2 atanh((m - 1) / (m + 1)); the argument is below 0.172, so eleven terms reach 1e-18.
  const double t = (mantissa - 1.0) / (mantissa + 1.0), s = t * t;
  double sum = 0.0;
  for (int n = 21; n >= 3; n -= 2) sum = (sum + 1.0 / static_cast<double>(n)) * s;
  const double e = static_cast<double>(exponent);
  return e * ln2_high + (2.0 * t + (2.0 * t * sum + e * ln2_low));
}

double exponential_of(double x) {
  if (x < -745.2) return 0.0;
  if (x > 709.78) return std::numeric_limits<double>::infinity();
  const double n = std::floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - n * ln2_high) - n * ln2_low;  // |r| <= 0.347: Taylor to degree 14
  double sum = 1.0;
  for (int k = 14; k >= 1; --k) sum = 1.0 + sum * (r / static_cast<double>(k));
  return std::ldexp(sum, static_cast<int>(n));
}

double cosine_of_turns(double turns) {
  const double t = turns - std::floor(turns);  // [0, 1)
  const double quarter = std::floor(4.0 * t + 0.5);
  const double angle = (t - 0.25 * quarter) * two_pi;
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return cosine_near_zero(angle);
    case 1:
      return -sine_near_zero(angle);
    case 2:
      return -cosine_near_zero(angle);
    default:
      return sine_near_zero(angle);
  }
}

double sine_of_turns(double turns) { return cosine_of_turns(turns - 0.25); }

double power(double base, double exponent) { return exponential_of(exponent * natural_log(base)); }

double whole_power(double base, long long exponent) {
  double result = 1.0;
  for (double factor = base; exponent > 0; exponent >>= 1, factor *= factor)
    if ((exponent & 1) != 0) result *= factor;
  return result;
}

}  // namespace models
