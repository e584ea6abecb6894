#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "scenarios/app/catalogue.hpp"
#include "scenarios/reader/scenario.hpp"

namespace scenarios {

namespace {

using Json = nlohmann::ordered_json;

// Declarations as a tree; a plug-in's rows share one set of keys, since the same key means the same in each.
struct Key {
  models::Declaration declaration;
  std::vector<std::string> order;
  std::map<std::string, Key> children;
  bool open = false;  // free names below

  Key& child(const std::string& name) {
    if (!children.contains(name)) order.push_back(name);
    return children[name];
  }
};

std::vector<std::string> parts(const std::string& path) {
  std::vector<std::string> all(1);
  bool in_row = false;
  for (const char c : path) {
    if (c == '{') in_row = true;
    if (c == '.' && !in_row)
      all.emplace_back();
    else if (!in_row)
      all.back() += c;
    if (c == '}') in_row = false;
  }
  return all;
}

void insert(Key& root, const models::Declaration& one) {
  if (one.type == "row") return;
  Key* key = &root;
  for (std::string part : parts(one.path)) {
    if (part.ends_with("[]")) part.resize(part.size() - 2);
    if (part == "<name>") key->open = true;
    key = &key->child(part);
  }
  if (key->declaration.path.empty()) key->declaration = one;
}

// A variant or sweep names other keys: their values are checked by the reader.
Json free_object(const models::Declaration& one) { return {{"type", {"object", "array"}}, {"description", one.help}}; }

Json object_of(const Key& key);

// A number, as the reader takes it: 1e3, 1_000, .5
constexpr const char* digits = "[-+]?([0-9][0-9_]*)?\\.?[0-9]+([eE][-+]?[0-9]+)?";

// Texts of a type; nothing: any.
std::string pattern_of(const std::string& type) {
  const std::string number = std::string("^ *") + digits + " *";
  const std::string prefix = "([kKMGTP]|[KMGT]i)?";
  if (type == "number") return number + "$";
  if (type == "fraction") return number + "%? *$";
  if (type == "count") return number + "( [a-z]+)?$";
  if (type == "bytes") return number + prefix + "(B|b|bit)$";
  if (type == "time") return number + "(s|ms|us|\u00b5s|\u03bcs|ns|min|h|d|days)$";
  if (type == "bandwidth") return number + prefix + "(B/s|b/s|bit/s|Bps|bps)$";
  if (type == "rate") return number + prefix + "(FLOP/s|FLOPS|flop/s)$";
  return {};
}

// "at least 1 and below 8" -> minimum 1, exclusiveMaximum 8.
void add_bounds(Json& number, const std::string& range) {
  constexpr std::pair<const char*, const char*> words[] = {{"at least ", "minimum"},
                                                           {"above ", "exclusiveMinimum"},
                                                           {"at most ", "maximum"},
                                                           {"below ", "exclusiveMaximum"}};
  for (const auto& [word, keyword] : words) {
    const std::size_t at = range.find(word);
    if (at == std::string::npos) continue;
    const std::string rest = range.substr(at + std::string_view(word).size());
    if (const std::optional<double> bound = models::read_number(rest.substr(0, rest.find(' '))))
      number[keyword] = *bound;
  }
}

// Amounts carry their unit, 0 alone needs none; counts may carry their word, fractions may be in %.
Json scalar(const models::Declaration& one) {
  if (one.type == "flag") return {{"enum", {true, false, "yes", "no", "on", "off"}}};
  if (one.type == "text") return {{"type", {"string", "number"}}};
  if (one.type == "choice") return {{"enum", one.choices}};
  const std::string pattern = pattern_of(one.type);
  if (pattern.empty()) return {{"type", {"number", "string"}}};
  Json number{{"type", one.type == "count" ? "integer" : "number"}};
  if (one.unit.empty())
    add_bounds(number, one.range);
  else
    number = {{"const", 0}};
  return {{"anyOf", {number, Json{{"type", "string"}, {"pattern", pattern}}}}};
}

// Lists of amounts or names; where a mapping may stand instead, its keys follow.
Json list_of(const models::Declaration& one) {
  models::Declaration item = one;
  item.type = one.type.substr(std::string_view("list of ").size());
  item.range.clear();
  if (item.type == "text" && !one.choices.empty()) item.type = "choice";
  return {{"type", "array"}, {"minItems", 1}, {"items", scalar(item)}};
}

Json schema_of(const Key& key) {
  const models::Declaration& one = key.declaration;
  Json schema;
  if (one.type == "list" || key.children.contains("[]"))
    schema = {{"type", "array"}, {"items", object_of(key)}};
  else if (!one.choices.empty() && one.type != "choice" &&
           one.type != "flag") {  // plug-in or preset: a name, or a mapping
    Json mapping = object_of(key);
    mapping["properties"]["name"] = {{"enum", one.choices}};
    mapping["properties"]["preset"] = {{"enum", one.choices}};
    schema["anyOf"] = {Json{{"enum", one.choices}}, key.children.empty() ? Json{{"type", "object"}} : mapping};
  } else if (!key.children.empty() && one.type == "number")  // a number alone, or a mapping that says more
    schema["anyOf"] = {scalar(one), object_of(key)};
  else if (!key.children.empty() && one.type.starts_with("list of"))
    schema["anyOf"] = {list_of(one), object_of(key)};
  else if (!key.children.empty())
    schema = object_of(key);
  else if (one.type == "section")
    schema = free_object(one);
  else if (one.type.starts_with("list of"))
    schema = list_of(one);
  else
    schema = scalar(one);
  if (!one.help.empty()) schema["description"] = one.help + (one.range.empty() ? "" : " (" + one.range + ")");
  if (!one.default_text.empty()) schema["default"] = one.default_text;
  return schema;
}

Json object_of(const Key& key) {
  Json properties = Json::object(), required = Json::array();
  for (const std::string& name : key.order) {
    if (name == "<name>") continue;
    const Key& child = key.children.at(name);
    properties[name] = schema_of(child);
    if (child.declaration.required && key.declaration.type != "plug-in") required.push_back(name);
  }
  Json schema{{"type", "object"}, {"properties", properties}};
  if (!required.empty() && key.declaration.path.empty()) schema["required"] = required;
  if (key.open)
    schema["additionalProperties"] = true;
  else
    schema["additionalProperties"] = false;
  return schema;
}

}  // namespace

std::string schema() {
  Key root;
  for (const models::Declaration& one : declarations()) insert(root, one);
  Json document{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Windtunnel scenario"}};
  document.update(object_of(root));
  document["not"] = {{"required", {"training", "collective"}}};  // exactly one job; a variant may bring it
  return document.dump(2) + "\n";
}

}  // namespace scenarios
