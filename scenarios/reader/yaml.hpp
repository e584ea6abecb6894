#pragma once
// YAML text -> Document. What hostile or careless files do with YAML is refused by name: duplicate keys, `<<`, tags,
// several documents, cycles, alias bombs, deep nesting, binary, size. Limits keep the worst file to milliseconds.

#include <cstddef>
#include <string>
#include <string_view>

#include "models/base/params.hpp"

namespace scenarios {

inline constexpr std::size_t largest_file = std::size_t{1} << 20;  // bytes
inline constexpr std::size_t longest_line = std::size_t{1} << 16;  // bytes
inline constexpr std::size_t most_nodes = 50'000;                  // aliases counted as what they stand for
inline constexpr int deepest_nesting = 32;
inline constexpr int deepest_alias = 4;  // aliases within anchored values within aliases

// A whole file, as text; places then carry `path` as it was typed.
std::string read_text(const std::string& path);
// `file` stands in the places.
models::Node parse_yaml(const std::string& text, const std::string& file);
// One value given on the command line: every place in it is `whole`, without a position.
models::Node parse_value(const std::string& text, const std::string& whole);
// The node as one line of flow YAML, without comments: equal text, equal meaning.
std::string flow_text(const models::Node& node);

}  // namespace scenarios
