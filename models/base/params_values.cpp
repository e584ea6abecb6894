// Scalars and lists of scalars: text -> value, range, declaration.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "models/base/params_state.hpp"

namespace models {
namespace {

constexpr double largest_count = 9007199254740992.0;  // 2^53: whole numbers are exact in a double up to here

// Far outside of what is built or measured; what lies beyond is a slip of the exponent. 0 is always within.
struct Physical {
  double least = 0.0, most = std::numeric_limits<double>::infinity();
};
constexpr Physical anything{};
constexpr Physical sizes{0.125, 1e24};       // a bit; all data stored in the world of 2025 are about 2e23 B (IDC)
constexpr Physical times{1e-15, 1e12};       // light crosses 0.3 um; 30,000 years
constexpr Physical bandwidths{0.125, 1e18};  // a bit per second; 1e7 links of 800 Gb/s
constexpr Physical flop_rates{1.0, 1e24};    // 1e8 devices of 10 PFLOP/s

// What one type of value is called, how it is read and shown, and what a legal one looks like.
template <class T>
struct Kind {
  std::string_view type, unit, article_and_name, examples;
  Physical physical;
  std::optional<T> (*read)(std::string_view);
  double (*base)(const T&);
  T (*made)(double);
  std::string (*shown)(const T&);
};

struct Scale {
  std::string_view name;
  double size;
};

// Exact and short: 25 MiB, not 26.2144 MB.
std::string exact(double value, std::span<const Scale> scale) {
  if (!std::isfinite(value)) return shortest(value);
  std::string best;
  for (const Scale& unit : scale) {
    const std::string candidate = fmt::format("{} {}", shortest(value / unit.size), unit.name);
    if (best.empty() || candidate.size() < best.size()) best = candidate;
  }
  return best;
}

constexpr Scale bytes_scale[] = {{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}, {"GB", 1e9},
                                 {"MB", 1e6},           {"KB", 1e3},        {"B", 1.0}};
constexpr Scale seconds_scale[] = {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
constexpr Scale bandwidth_scale[] = {{"GB/s", 1e9}, {"Gb/s", 1.25e8}, {"MB/s", 1e6}, {"Mb/s", 1.25e5}, {"B/s", 1.0}};
constexpr Scale flop_scale[] = {{"TFLOP/s", 1e12}, {"GFLOP/s", 1e9}, {"FLOP/s", 1.0}};

// `64 samples`: a count may carry its word.
std::optional<std::int64_t> read_count(std::string_view text) {
  static constexpr std::string_view words[] = {"samples", "steps",  "tokens", "ranks",  "nodes",    "hosts",
                                               "gpus",    "layers", "points", "rounds", "elements", "parameters"};
  for (const std::string_view word : words) {
    for (const std::string_view form : {word, word.substr(0, word.size() - 1)}) {
      if (text.size() <= form.size() + 1 || text.substr(text.size() - form.size()) != form ||
          text[text.size() - form.size() - 1] != ' ')
        continue;
      return read_count(text.substr(0, text.size() - form.size() - 1));
    }
  }
  const std::optional<double> number = read_number(text);
  if (!number || *number != std::floor(*number) || std::fabs(*number) > largest_count) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

const Kind<double> number_kind{"number",
                               "",
                               "a number",
                               "0.5, 1e-4",
                               anything,
                               &read_number,
                               [](const double& v) { return v; },
                               [](double v) { return v; },
                               [](const double& v) { return shortest(v); }};
const Kind<double> fraction_kind{"fraction",
                                 "",
                                 "a fraction",
                                 "0.02, 2 %",
                                 anything,
                                 &read_fraction,
                                 [](const double& v) { return v; },
                                 [](double v) { return v; },
                                 [](const double& v) { return shortest(v); }};
const Kind<std::int64_t> count_kind{"count",
                                    "",
                                    "a whole number",
                                    "64",
                                    anything,
                                    &read_count,
                                    [](const std::int64_t& v) { return static_cast<double>(v); },
                                    [](double v) { return static_cast<std::int64_t>(v); },
                                    [](const std::int64_t& v) { return std::to_string(v); }};
const Kind<Bytes> bytes_kind{"bytes",
                             "B",
                             "an amount of bytes",
                             "25 MB, 25 MiB",
                             sizes,
                             &read_bytes,
                             [](const Bytes& v) { return v / Bytes{1.0}; },
                             [](double v) { return Bytes{v}; },
                             [](const Bytes& v) { return exact(v / Bytes{1.0}, bytes_scale); }};
const Kind<Seconds> seconds_kind{"time",
                                 "s",
                                 "a time",
                                 "25 us, 1.5 ms, 2 s",
                                 times,
                                 &read_seconds,
                                 [](const Seconds& v) { return v / Seconds{1.0}; },
                                 [](double v) { return Seconds{v}; },
                                 [](const Seconds& v) { return exact(v / Seconds{1.0}, seconds_scale); }};
const Kind<BytesPerSecond> bandwidth_kind{
    "bandwidth",
    "B/s",
    "a bandwidth",
    "10 Gb/s, 450 GB/s",
    bandwidths,
    &read_bytes_per_second,
    [](const BytesPerSecond& v) { return v / BytesPerSecond{1.0}; },
    [](double v) { return BytesPerSecond{v}; },
    [](const BytesPerSecond& v) { return exact(v / BytesPerSecond{1.0}, bandwidth_scale); }};
const Kind<FlopsPerSecond> flop_kind{
    "rate",
    "FLOP/s",
    "a rate of operations",
    "125 TFLOP/s",
    flop_rates,
    &read_flops_per_second,
    [](const FlopsPerSecond& v) { return v / FlopsPerSecond{1.0}; },
    [](double v) { return FlopsPerSecond{v}; },
    [](const FlopsPerSecond& v) { return exact(v / FlopsPerSecond{1.0}, flop_scale); }};

bool open_low(const Range& range) { return range.ends == Range::Ends::open_low || range.ends == Range::Ends::open; }
bool open_high(const Range& range) { return range.ends == Range::Ends::open_high || range.ends == Range::Ends::open; }

bool inside(double value, const Range& range) {
  return (open_low(range) ? value > range.low : value >= range.low) &&
         (open_high(range) ? value < range.high : value <= range.high);
}

// "at least 1", "above 0 and at most 1"; empty when everything is legal.
template <class T>
std::string described(const Range& range, const Kind<T>& kind) {
  const bool below = std::isfinite(range.low), above = std::isfinite(range.high);
  std::string text;
  if (below) text += fmt::format("{} {}", open_low(range) ? "above" : "at least", kind.shown(kind.made(range.low)));
  if (below && above) text += " and ";
  if (above) text += fmt::format("{} {}", open_high(range) ? "below" : "at most", kind.shown(kind.made(range.high)));
  return text;
}

// A value to go on with after an error.
template <class T>
T legal(const Range& range, const std::optional<T>& fallback, const Kind<T>& kind) {
  if (fallback) return *fallback;
  if (std::isfinite(range.low) && !open_low(range)) return kind.made(range.low);
  if (inside(1.0, range)) return kind.made(1.0);
  if (std::isfinite(range.low) && std::isfinite(range.high))
    return kind.made(range.low + (range.high - range.low) / 2.0);
  if (std::isfinite(range.high)) return kind.made(open_high(range) ? range.high - 1.0 : range.high);
  return kind.made(std::isfinite(range.low) ? range.low + 1.0 : 0.0);
}

template <class T>
std::optional<T> read_scalar(ParamsState& state, std::string_view key, const Node& node, const Range& range,
                             const Kind<T>& kind) {
  const std::optional<T> value = kind.read(node.text);
  if (!value) {
    const bool bare = !kind.unit.empty() && read_number(node.text);
    std::string hint = fmt::format("'{}' is {}, such as {}", key, kind.article_and_name, kind.examples);
    if (bare)
      state.add(node.place, fmt::format("'{}' has no unit", node.text), std::move(hint));
    else
      state.add(node.place, fmt::format("'{}' is not {}", node.text, kind.article_and_name), std::move(hint));
    return std::nullopt;
  }
  if (!inside(kind.base(*value), range)) {
    state.add(node.place, fmt::format("'{}' is {}, but must be {}", key, node.text, described(range, kind)));
    return std::nullopt;
  }
  const double size = std::fabs(kind.base(*value));
  if (size != 0.0 && (size < kind.physical.least || size > kind.physical.most)) {
    state.add(node.place, fmt::format("'{}' is {}, which is not physical", key, node.text),
              fmt::format("{} lies between {} and {}", kind.article_and_name,
                          kind.shown(kind.made(kind.physical.least)), kind.shown(kind.made(kind.physical.most))));
    return std::nullopt;
  }
  return value;
}

template <class T>
T read_value(ParamsState& state, std::string_view key, const Range& range, std::string_view help,
             const std::optional<T>& fallback, const Kind<T>& kind) {
  Declaration declaration;
  declaration.type = std::string(kind.type);
  declaration.unit = std::string(kind.unit);
  declaration.range = described(range, kind);
  declaration.default_text = fallback ? kind.shown(*fallback) : "";
  declaration.required = !fallback;
  declaration.help = std::string(help);
  state.declare(key, std::move(declaration));
  if (!state.describing()) {
    if (const Node* node = scalar_at(state, key, help, !fallback, kind.article_and_name))
      if (const std::optional<T> value = read_scalar(state, key, *node, range, kind)) return *value;
  }
  return legal(range, fallback, kind);
}

template <class T>
std::vector<T> read_list(ParamsState& state, std::string_view key, const Range& range, std::string_view help,
                         const std::optional<std::vector<T>>& fallback, const Kind<T>& kind) {
  Declaration declaration;
  declaration.type = fmt::format("list of {}", kind.type);
  declaration.unit = std::string(kind.unit);
  declaration.range = described(range, kind);
  declaration.required = !fallback;
  declaration.help = std::string(help);
  if (fallback) {
    std::vector<std::string> shown;
    for (const T& value : *fallback) shown.push_back(kind.shown(value));
    declaration.default_text = fmt::format("[{}]", fmt::join(shown, ", "));
  }
  state.declare(key, std::move(declaration));
  const std::vector<T> otherwise = fallback ? *fallback : std::vector<T>{legal(range, std::optional<T>{}, kind)};
  if (state.describing()) return otherwise;
  const Entry* entry = state.entry(key);
  if (!entry) {
    if (!fallback) state.report_missing(key, help);
    return otherwise;
  }
  if (entry->value.kind != NodeKind::sequence || entry->value.items.empty()) {
    const bool empty = entry->value.kind == NodeKind::sequence;
    state.add(place_of(*entry),
              fmt::format("'{}' must be a list{}, not {}", key, empty ? " of at least one value" : "",
                          empty ? "an empty one" : kind_name(entry->value.kind)),
              fmt::format("{}: [{}]", key, kind.examples));
    return otherwise;
  }
  std::vector<T> values;
  for (const Node& item : entry->value.items) {
    if (item.kind != NodeKind::scalar)
      state.add(item.place,
                fmt::format("'{}' holds {} where {} belongs", key, kind_name(item.kind), kind.article_and_name));
    else if (const std::optional<T> value = read_scalar(state, key, item, range, kind))
      values.push_back(*value);
  }
  return values.empty() ? otherwise : values;
}

}  // namespace

double Params::number(std::string_view key, Range range, std::string_view help, std::optional<double> fallback) {
  return read_value(*state_, key, range, help, fallback, number_kind);
}
double Params::fraction(std::string_view key, Range range, std::string_view help, std::optional<double> fallback) {
  return read_value(*state_, key, range, help, fallback, fraction_kind);
}
std::int64_t Params::count(std::string_view key, Range range, std::string_view help,
                           std::optional<std::int64_t> fallback) {
  return read_value(*state_, key, range, help, fallback, count_kind);
}
Bytes Params::bytes(std::string_view key, Range range, std::string_view help, std::optional<Bytes> fallback) {
  return read_value(*state_, key, range, help, fallback, bytes_kind);
}
Seconds Params::seconds(std::string_view key, Range range, std::string_view help, std::optional<Seconds> fallback) {
  return read_value(*state_, key, range, help, fallback, seconds_kind);
}
BytesPerSecond Params::bandwidth(std::string_view key, Range range, std::string_view help,
                                 std::optional<BytesPerSecond> fallback) {
  return read_value(*state_, key, range, help, fallback, bandwidth_kind);
}
FlopsPerSecond Params::flop_rate(std::string_view key, Range range, std::string_view help,
                                 std::optional<FlopsPerSecond> fallback) {
  return read_value(*state_, key, range, help, fallback, flop_kind);
}
std::vector<double> Params::numbers(std::string_view key, Range range, std::string_view help,
                                    std::optional<std::vector<double>> fallback) {
  return read_list(*state_, key, range, help, fallback, number_kind);
}
std::vector<Bytes> Params::bytes_list(std::string_view key, std::string_view help,
                                      std::optional<std::vector<Bytes>> fallback) {
  return read_list(*state_, key, not_negative, help, fallback, bytes_kind);
}

}  // namespace models
