#pragma once
// Document: what the user wrote, in written order. Params: a typed, ranged reading of one mapping of it.
// Reading a key declares it; keys nobody read become errors. The same readers, run in describing mode, give `schema`,
// `explain` and `list`.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/table.hpp"
#include "models/base/units.hpp"

namespace models {

enum class NodeKind { null, scalar, sequence, mapping };

struct Entry;
struct Node {
  NodeKind kind = NodeKind::null;
  std::string text;  // scalar
  bool quoted = false;
  Place place;
  std::vector<Node> items;     // sequence
  std::vector<Entry> entries;  // mapping, in written order
};
struct Entry {
  std::string key;
  Place place;
  Node value;
};

std::string_view kind_name(NodeKind kind);  // "a list"
// "did you mean 'top_k'? known: identity, top_k, qsgd"
std::string known_hint(std::string_view wrong, const std::vector<std::string>& known);

// Inclusive unless said; the message names both ends.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  enum class Ends { closed, open_low, open_high, open } ends = Ends::closed;
};
inline constexpr Range positive{0.0, std::numeric_limits<double>::infinity(), Range::Ends::open_low};
inline constexpr Range not_negative{0.0, std::numeric_limits<double>::infinity()};

// One declared key, as describing mode records it.
struct Declaration {
  std::string path;  // cluster.topology.nodes; [] marks a list item, <name> a free key, {star} the row of a table
  std::string
      type;  // number, count, bytes, time, bandwidth, rate, fraction, flag, text, choice, plug-in, section, list
  std::string unit;
  std::string range;
  std::string default_text;  // empty: required
  bool required = false;
  std::string help;
  std::vector<std::string> choices;
};

// Presets (devices, links, models, explicit topologies) are mappings found by name. The reader ring fills this from
// data files; the models ring only asks. Nothing: no such preset.
class Presets {
 public:
  virtual ~Presets() = default;
  virtual const Node* find(std::string_view kind,
                           std::string_view name) const = 0;  // kind: device, link, architecture, topology
  virtual std::vector<std::string> names(std::string_view kind) const = 0;
};

// Collects errors so that one run shows all of a file.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  bool empty() const { return all_.empty(); }
  const std::vector<Diagnostic>& all() const { return all_; }
  void throw_if_any() const;  // Error, sorted by place

 private:
  std::vector<Diagnostic> all_;
};

struct ParamsSession;
struct ParamsState;

class Params {
 public:
  // Reads `mapping` (must outlive the Params). `path` prefixes declared paths.
  Params(const Node& mapping, std::string path, Diagnostics& diagnostics, const Presets& presets);
  // Describing mode: every getter records a Declaration and returns its default or the low end of its range.
  Params(std::string path, std::vector<Declaration>& declarations, const Presets& presets);

  // A missing key without fallback is an error. On any error the getter records it and returns the fallback or a legal
  // value.
  double number(std::string_view key, Range range, std::string_view help, std::optional<double> fallback = {});
  double fraction(std::string_view key, Range range, std::string_view help, std::optional<double> fallback = {});
  std::int64_t count(std::string_view key, Range range, std::string_view help,
                     std::optional<std::int64_t> fallback = {});
  Bytes bytes(std::string_view key, Range range, std::string_view help, std::optional<Bytes> fallback = {});
  Seconds seconds(std::string_view key, Range range, std::string_view help, std::optional<Seconds> fallback = {});
  BytesPerSecond bandwidth(std::string_view key, Range range, std::string_view help,
                           std::optional<BytesPerSecond> fallback = {});
  FlopsPerSecond flop_rate(std::string_view key, Range range, std::string_view help,
                           std::optional<FlopsPerSecond> fallback = {});
  std::string text(std::string_view key, std::string_view help, std::optional<std::string> fallback = {});
  // true/false/yes/no/on/off.
  bool flag(std::string_view key, std::string_view help, std::optional<bool> fallback = {});
  // One of `names`; gives its index (cast it to the enum of the same order).
  std::size_t choice(std::string_view key, std::span<const std::string_view> names, std::string_view help,
                     std::optional<std::size_t> fallback = {});
  // Lists of scalars.
  std::vector<double> numbers(std::string_view key, Range range, std::string_view help,
                              std::optional<std::vector<double>> fallback = {});
  std::vector<Bytes> bytes_list(std::string_view key, std::string_view help,
                                std::optional<std::vector<Bytes>> fallback = {});

  bool has(std::string_view key) const;  // in describing mode: true
  bool describing() const;
  NodeKind kind_of(std::string_view key) const;  // null when absent; in describing mode: mapping
  Place place(std::string_view key) const;       // of the key's value, or of this mapping
  Place place() const;

  // A nested mapping. Missing: reads as empty (so its required keys complain with this mapping's place).
  Params section(std::string_view key, std::string_view help);
  // A nested mapping that may be absent.
  std::optional<Params> optional_section(std::string_view key, std::string_view help);
  // A sequence of mappings; in describing mode one element.
  std::vector<Params> list(std::string_view key, std::string_view help);
  // A mapping with free keys (name -> mapping).
  std::vector<std::pair<std::string, Params>> named_sections(std::string_view key, std::string_view help);
  // The preset mapping itself (`gpu: v100_pcie_16gb`), an inline mapping, or {preset: NAME, key: override...}.
  Params preset(std::string_view key, std::string_view kind, std::string_view help,
                std::optional<std::string> fallback = {});

  // A plug-in: `key: NAME` or `key: {name: NAME, ...}`; its reader reads the rest, keys it does not know are errors. In
  // describing mode every row is described.
  template <class T>
  T plugin(std::string_view key, const Table<T>& table, std::string_view help,
           std::optional<std::string> fallback = {});
  // The row's own keys stand beside `key` in this mapping: `topology: {shape: star, nodes: 4}`.
  template <class T>
  T plugin_beside(std::string_view key, const Table<T>& table, std::string_view help,
                  std::optional<std::string> fallback = {});

  // The value as written, for readers that interpret it themselves; nothing when absent and in describing mode.
  const Node* raw(std::string_view key, std::string_view type, std::string_view help);
  // The preset this mapping came from; empty for an inline mapping.
  const std::string& preset_name() const;
  const std::string& path() const;

  // For checks across keys: records an error at the key's place.
  void report(std::string_view key, std::string message, std::string hint = {});
  void report_at(Place where, std::string message, std::string hint = {});
  // Reports every key that no getter asked for, here and in nested sections. Call once, at the end of a reader of a
  // whole mapping.
  void finish();

  struct Chosen {  // what plugin() needs from the untyped half
    std::string name;
    std::vector<Params> body;  // one element, or none on error
  };

 private:
  friend struct ParamsState;
  Params(std::shared_ptr<ParamsSession> session, ParamsState* state) : session_(std::move(session)), state_(state) {}

  enum class Where { below, beside };  // the row's keys, seen from the plug-in's key
  Chosen chosen(std::string_view key, std::string_view point, const std::vector<std::string>& names,
                const std::vector<std::string>& helps, std::string_view help,
                const std::optional<std::string>& fallback, Where where);
  Params described_row(std::string_view key, std::string_view row, Where where) const;
  template <class T>
  T read_row(std::string_view key, const Table<T>& table, std::string_view help,
             const std::optional<std::string>& fallback, Where where);

  std::shared_ptr<ParamsSession> session_;  // shared by a Params, its sections and their copies
  ParamsState* state_ = nullptr;            // of this mapping; owned by the session
};

template <class T>
T Params::read_row(std::string_view key, const Table<T>& table, std::string_view help,
                   const std::optional<std::string>& fallback, Where where) {
  std::vector<std::string> helps;
  for (const Row<T>& row : table.rows()) helps.emplace_back(row.help);
  Chosen choice = chosen(key, table.point(), table.names(), helps, help, fallback, where);
  T result{};
  if (describing()) {
    for (const Row<T>& row : table.rows()) {
      Params body = described_row(key, row.name, where);
      result = row.read(body);
    }
  } else if (!choice.body.empty()) {
    result = table.find(choice.name)->read(choice.body.front());
    if (where == Where::below) choice.body.front().finish();
  }
  return result;
}

template <class T>
T Params::plugin(std::string_view key, const Table<T>& table, std::string_view help,
                 std::optional<std::string> fallback) {
  return read_row(key, table, help, fallback, Where::below);
}

template <class T>
T Params::plugin_beside(std::string_view key, const Table<T>& table, std::string_view help,
                        std::optional<std::string> fallback) {
  return read_row(key, table, help, fallback, Where::beside);
}

}  // namespace models
