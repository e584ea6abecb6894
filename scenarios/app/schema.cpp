#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

Json scalar(const models::Declaration& one) {
  if (one.type == "flag") return {{"type", "boolean"}};
  if (one.type == "text") return {{"type", {"string", "number"}}};
  if (one.type == "choice") return {{"enum", one.choices}};
  if (one.type.starts_with("list of")) return {{"type", {"array", "object"}}};
  return {
      {"type", {"number", "string"}}};  // amounts carry their unit, counts may carry their word, fractions may be in %
}

Json schema_of(const Key& key) {
  const models::Declaration& one = key.declaration;
  Json schema;
  if (one.type == "list" || key.children.contains("[]"))
    schema = {{"type", "array"}, {"items", object_of(key)}};
  else if (!one.choices.empty() && one.type != "choice" && one.type != "flag") {  // plug-in or preset: a name, or a mapping
    Json mapping = object_of(key);
    mapping["properties"]["name"] = {{"enum", one.choices}};
    mapping["properties"]["preset"] = {{"enum", one.choices}};
    schema["anyOf"] = {Json{{"enum", one.choices}}, key.children.empty() ? Json{{"type", "object"}} : mapping};
  } else if (!key.children.empty() && one.type == "number")  // a number alone, or a mapping that says more
    schema["anyOf"] = {scalar(one), object_of(key)};
  else if (!key.children.empty() && one.type.starts_with("list of"))
    schema["anyOf"] = {Json{{"type", "array"}}, object_of(key)};
  else if (!key.children.empty())
    schema = object_of(key);
  else if (one.type == "section")
    schema = free_object(one);
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
  return document.dump(2) + "\n";
}

}  // namespace scenarios
