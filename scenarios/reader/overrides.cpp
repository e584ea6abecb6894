#include "scenarios/reader/overrides.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "scenarios/reader/language.hpp"
#include "scenarios/reader/yaml.hpp"

namespace scenarios {
namespace {

using models::Diagnostics;
using models::Entry;
using models::Node;
using models::NodeKind;

std::optional<std::size_t> index_of(const std::string& text) {
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), index);
  return failure == std::errc{} && end == text.data() + text.size() ? std::optional<std::size_t>(index) : std::nullopt;
}

Entry made_entry(std::string key, Node value, const models::Place& place) {
  Entry entry;
  entry.key = std::move(key);
  entry.place = place;
  entry.value = std::move(value);
  return entry;
}

// `inter_node: ethernet_10g_tcp` -> `inter_node: {preset: ethernet_10g_tcp}`; nothing when a plain value stands at
// `path`.
std::optional<Node> opened(const Node& scalar, const std::vector<std::string>& path) {
  const std::string key = name_key(path);
  if (key.empty()) return std::nullopt;
  Node mapping;
  mapping.kind = NodeKind::mapping;
  mapping.place = scalar.place;
  mapping.entries.push_back(made_entry(key, scalar, scalar.place));
  return mapping;
}

}  // namespace

std::vector<std::string> split_path(std::string_view dotted) {
  std::vector<std::string> path;
  while (true) {
    const std::size_t dot = dotted.find('.');
    path.emplace_back(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return path;
    dotted.remove_prefix(dot + 1);
  }
}

std::string joined(const std::vector<std::string>& path) { return fmt::format("{}", fmt::join(path, ".")); }

bool lies_within(const std::vector<std::string>& path, const std::vector<std::string>& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

std::vector<Override> overrides_of(const Node& mapping, Diagnostics& diagnostics) {
  std::vector<Override> all;
  for (const Entry& entry : mapping.entries) {
    Override change{split_path(entry.key), entry.value, entry.place};
    if (std::find(change.path.begin(), change.path.end(), "") != change.path.end())
      diagnostics.add({entry.place, fmt::format("'{}' is not a key path", entry.key),
                       "write keys joined by dots: training.batch.micro"});
    else
      all.push_back(std::move(change));
  }
  return all;
}

Override parse_assignment(std::string_view option, const std::string& argument) {
  const std::string whole = fmt::format("{} {}", option, argument);
  const models::Place place{whole, 0, 0, {}};
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0)
    throw models::Error(place, "this is not KEY=VALUE", fmt::format("write {} training.steps=100", option));
  Override change{split_path(argument.substr(0, equals)), parse_value(argument.substr(equals + 1), whole), place};
  if (std::find(change.path.begin(), change.path.end(), "") != change.path.end())
    throw models::Error(place, fmt::format("'{}' is not a key path", argument.substr(0, equals)),
                        "write keys joined by dots: training.batch.micro");
  return change;
}

void apply(Node& root, const Override& change, Diagnostics& diagnostics) {
  Node* at = &root;
  for (std::size_t depth = 0; depth < change.path.size(); ++depth) {
    const std::string& key = change.path[depth];
    const std::vector<std::string> above(change.path.begin(), change.path.begin() + static_cast<std::ptrdiff_t>(depth));
    const bool last = depth + 1 == change.path.size();
    if (at->kind == NodeKind::scalar) {
      std::optional<Node> mapping = opened(*at, above);
      if (!mapping) {
        diagnostics.add({change.place,
                         fmt::format("'{}' cannot be set: '{}' is the single value '{}'", joined(change.path),
                                     joined(above), at->text),
                         fmt::format("set '{}' to a mapping first", joined(above))});
        return;
      }
      *at = std::move(*mapping);
    }
    if (at->kind == NodeKind::sequence) {
      const std::optional<std::size_t> index = index_of(key);
      if (!index || *index >= at->items.size()) {
        diagnostics.add({change.place,
                         fmt::format("'{}' cannot be set: '{}' is a list of {}", joined(change.path), joined(above),
                                     at->items.size()),
                         at->items.empty() ? std::string()
                                           : fmt::format("name an item by its index, 0 to {}", at->items.size() - 1)});
        return;
      }
      at = &at->items[*index];
    } else {
      if (at->kind == NodeKind::null) {
        at->kind = NodeKind::mapping;
        at->place = change.place;
      }
      auto found =
          std::find_if(at->entries.begin(), at->entries.end(), [&](const Entry& entry) { return entry.key == key; });
      if (found == at->entries.end()) {
        at->entries.push_back(made_entry(key, Node{}, change.place));
        found = at->entries.end() - 1;
      }
      if (last) found->place = change.place;
      at = &found->value;
    }
    if (last) *at = change.value;
  }
}

}  // namespace scenarios
