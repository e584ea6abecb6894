#include "scenarios/reader/xml.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <pugixml.hpp>

namespace scenarios {

namespace {

class Positions {
 public:
  Positions(const std::string& text, std::string file) : file_(std::move(file)) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') starts_.push_back(i + 1);
  }
  models::Place at(std::ptrdiff_t offset) const {
    const auto where = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), where);
    models::Place place;
    place.file = file_;
    place.line = static_cast<int>(next - starts_.begin());
    place.column = static_cast<int>(where - *(next - 1)) + 1;
    return place;
  }

 private:
  std::string file_;
  std::vector<std::size_t> starts_;  // of the lines
};

XmlElement copied(const pugi::xml_node& node, const Positions& positions, int depth, std::size_t& count) {
  XmlElement element;
  element.name = node.name();
  element.place = positions.at(node.offset_debug());
  if (depth > deepest_element)
    throw models::Error(element.place, fmt::format("elements nest more than {} deep", deepest_element));
  if (++count > most_elements)
    throw models::Error(element.place, fmt::format("the file has more than {} elements", most_elements));
  for (const pugi::xml_attribute& attribute : node.attributes())
    element.attributes.emplace_back(attribute.name(), attribute.value());
  for (const pugi::xml_node& child : node.children())
    if (child.type() == pugi::node_element) element.children.push_back(copied(child, positions, depth + 1, count));
  return element;
}

}  // namespace

std::string XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return value;
  return {};
}

std::string XmlElement::required(std::string_view wanted) const {
  std::string value = attribute(wanted);
  if (value.empty()) throw models::Error(place, fmt::format("<{}> has no attribute '{}'", name, wanted));
  return value;
}

XmlElement parse_xml(const std::string& text, const std::string& file) {
  const Positions positions(text, file);
  if (const std::size_t entity = text.find("<!ENTITY"); entity != std::string::npos)
    throw models::Error(positions.at(static_cast<std::ptrdiff_t>(entity)), "the file declares an entity",
                        "write the text out: entities are not expanded");
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed)
    throw models::Error(positions.at(parsed.offset), fmt::format("the XML is malformed: {}", parsed.description()));
  if (!document.document_element()) throw models::Error(positions.at(0), "the XML has no element");
  std::size_t count = 0;
  return copied(document.document_element(), positions, 1, count);
}

}  // namespace scenarios
