#include "models/base/units.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <system_error>

namespace models {
namespace {

struct Unit {
  std::string_view name;
  double factor;
  double divisor = 1.0;  // 25 us is 25 / 1e6, correctly rounded; 25 * 1e-6 is not
};

constexpr double bits_per_byte = 8.0;
constexpr Unit prefixes[] = {{"", 1.0},
                             {"k", 1e3},
                             {"K", 1e3},
                             {"M", 1e6},
                             {"G", 1e9},
                             {"T", 1e12},
                             {"P", 1e15},
                             {"Ki", 1024.0},
                             {"Mi", 1048576.0},
                             {"Gi", 1073741824.0},
                             {"Ti", 1099511627776.0}};
constexpr Unit times[] = {
    {"s", 1.0},       {"ms", 1.0, 1e3}, {"us", 1.0, 1e6}, {"\xC2\xB5s", 1.0, 1e6}, {"\xCE\xBCs", 1.0, 1e6},
    {"ns", 1.0, 1e9}, {"min", 60.0},    {"h", 3600.0},    {"d", 86400.0},          {"days", 86400.0}};
constexpr Unit byte_words[] = {{"B", 1.0}, {"b", 1.0, bits_per_byte}, {"bit", 1.0, bits_per_byte}};
constexpr Unit byte_rates[] = {{"B/s", 1.0},
                               {"b/s", 1.0, bits_per_byte},
                               {"bit/s", 1.0, bits_per_byte},
                               {"Bps", 1.0},
                               {"bps", 1.0, bits_per_byte}};
constexpr Unit flop_rates[] = {{"FLOP/s", 1.0}, {"FLOPS", 1.0}, {"flop/s", 1.0}};
constexpr Unit rates[] = {{"/s", 1.0}, {"/min", 1.0, 60.0}, {"/h", 1.0, 3600.0}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool digit(char c) { return c >= '0' && c <= '9'; }

struct Amount {
  double number;
  std::string_view unit;
};

// A leading finite decimal number, and what follows it.
std::optional<Amount> split(std::string_view text) {
  text = trimmed(text);
  std::string digits;
  std::size_t used = 0;
  if (used < text.size() && (text[used] == '-' || text[used] == '+')) {
    if (text[used] == '-') digits += '-';
    ++used;
  }
  const std::size_t first = used;
  for (; used < text.size(); ++used) {
    const char c = text[used];
    const bool exponent = (c == 'e' || c == 'E') && used > first && used + 1 < text.size() &&
                          (digit(text[used + 1]) || ((text[used + 1] == '-' || text[used + 1] == '+') &&
                                                     used + 2 < text.size() && digit(text[used + 2])));
    if (digit(c) || c == '.') {
      digits += c;
    } else if (c == '_' && used > first && digit(text[used - 1]) && used + 1 < text.size() && digit(text[used + 1])) {
      continue;
    } else if (exponent) {
      digits += c;
      if (!digit(text[used + 1])) digits += text[++used];
    } else {
      break;
    }
  }
  if (used == first) return std::nullopt;
  double number = 0.0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(number)) return std::nullopt;
  return Amount{number, trimmed(text.substr(used))};
}

std::optional<double> read_amount(std::string_view text, std::span<const Unit> units,
                                  std::span<const Unit> unit_prefixes) {
  const std::optional<Amount> amount = split(text);
  if (!amount) return std::nullopt;
  if (amount->unit.empty()) return amount->number == 0.0 ? std::optional<double>(0.0) : std::nullopt;
  for (const Unit& prefix : unit_prefixes) {
    if (amount->unit.substr(0, prefix.name.size()) != prefix.name) continue;
    for (const Unit& unit : units) {
      if (amount->unit.substr(prefix.name.size()) != unit.name) continue;
      const double value = amount->number * prefix.factor * unit.factor / unit.divisor;
      return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
    }
  }
  return std::nullopt;
}

constexpr std::span<const Unit> no_prefix{prefixes, 1};

template <class Amount>
std::optional<Amount> wrapped(std::optional<double> value) {
  return value ? std::optional<Amount>(Amount{*value}) : std::nullopt;
}

// Three significant digits, or four from 1000 on (`1234 d`).
std::string rounded(double value) {
  std::array<char, 32> buffer{};
  const int digits = std::fabs(value) >= 999.5 ? 4 : 3;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits).ptr;
  const std::string text(buffer.data(), end);
  double back = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), back);
  const auto plain = std::to_chars(buffer.data(), buffer.data() + buffer.size(), back, std::chars_format::fixed).ptr;
  return std::fabs(back) < 1e7 && std::fabs(back) >= 1e-4 ? std::string(buffer.data(), plain) : shortest(back);
}

// Units in rising order; the largest that leaves at least 1 after rounding.
std::string with_unit(double value, std::span<const Unit> scale, std::string_view base) {
  if (value == 0.0) return "0 " + std::string(base);
  if (!std::isfinite(value)) return shortest(value) + " " + std::string(base);
  const Unit* chosen = &scale.front();
  for (const Unit& unit : scale)
    if (std::fabs(value) * unit.divisor / unit.factor >= 0.9995) chosen = &unit;
  return rounded(value * chosen->divisor / chosen->factor) + " " + std::string(chosen->name);
}

constexpr Unit byte_scale[] = {{"B", 1.0}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15}};
constexpr Unit bit_rate_scale[] = {{"b/s", 1.0}, {"kb/s", 1e3}, {"Mb/s", 1e6}, {"Gb/s", 1e9}, {"Tb/s", 1e12}};
constexpr Unit byte_rate_scale[] = {{"B/s", 1.0}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit flop_rate_scale[] = {{"FLOP/s", 1.0},  {"kFLOP/s", 1e3},  {"MFLOP/s", 1e6},
                                    {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}};
constexpr Unit second_scale[] = {{"ns", 1.0, 1e9}, {"us", 1.0, 1e6}, {"ms", 1.0, 1e3}, {"s", 1.0}};
constexpr Unit minute_scale[] = {{"min", 60.0}};
constexpr Unit hour_scale[] = {{"h", 3600.0}};
constexpr Unit day_scale[] = {{"d", 86400.0}};

}  // namespace

std::optional<Bytes> read_bytes(std::string_view text) {
  return wrapped<Bytes>(read_amount(text, byte_words, prefixes));
}
std::optional<Seconds> read_seconds(std::string_view text) {
  return wrapped<Seconds>(read_amount(text, times, no_prefix));
}
std::optional<BytesPerSecond> read_bytes_per_second(std::string_view text) {
  return wrapped<BytesPerSecond>(read_amount(text, byte_rates, prefixes));
}
std::optional<FlopsPerSecond> read_flops_per_second(std::string_view text) {
  return wrapped<FlopsPerSecond>(read_amount(text, flop_rates, prefixes));
}
std::optional<PerSecond> read_per_second(std::string_view text) {
  return wrapped<PerSecond>(read_amount(text, rates, no_prefix));
}

std::optional<double> read_fraction(std::string_view text) {
  const std::optional<Amount> amount = split(text);
  if (!amount) return std::nullopt;
  if (amount->unit.empty()) return amount->number;
  if (amount->unit == "%") return amount->number / 100.0;
  return std::nullopt;
}

std::optional<double> read_number(std::string_view text) {
  const std::optional<Amount> amount = split(text);
  return amount && amount->unit.empty() ? std::optional<double>(amount->number) : std::nullopt;
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string text(Bytes amount) { return with_unit(amount.value, byte_scale, "B"); }

std::string text(Seconds amount) {
  const double size = std::fabs(amount.value);
  if (size >= 172800.0) return with_unit(amount.value, day_scale, "s");
  if (size >= 7200.0) return with_unit(amount.value, hour_scale, "s");
  if (size >= 600.0) return with_unit(amount.value, minute_scale, "s");
  return with_unit(amount.value, second_scale, "s");
}

// Networks are named in bits, memories and NVLink in bytes; the fastest network port of 2026 carries 400 Gb/s or a
// little more.
std::string text(BytesPerSecond amount) {
  constexpr double fastest_port = 800e9 / bits_per_byte;
  if (std::fabs(amount.value) <= fastest_port) return with_unit(amount.value * bits_per_byte, bit_rate_scale, "b/s");
  return with_unit(amount.value, byte_rate_scale, "B/s");
}

std::string text(FlopsPerSecond amount) { return with_unit(amount.value, flop_rate_scale, "FLOP/s"); }

}  // namespace models
