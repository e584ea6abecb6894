#pragma once
// XML text -> elements. What hostile files do is refused by name: entities, deep nesting, size.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/error.hpp"

namespace scenarios {

inline constexpr int deepest_element = 64;
inline constexpr std::size_t most_elements = 50'000;

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;  // elements only
  models::Place place;

  // Empty when it is not there.
  std::string attribute(std::string_view name) const;
  // Error when it is not there.
  std::string required(std::string_view name) const;
};

// The root element; Error with file:line:column.
XmlElement parse_xml(const std::string& text, const std::string& file);

}  // namespace scenarios
