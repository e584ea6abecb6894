#pragma once
// Documents written in code, for readers tested without a file.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/defaults.hpp"

namespace documents {

inline models::Node scalar(std::string text) {
  models::Node node;
  node.kind = models::NodeKind::scalar;
  node.text = std::move(text);
  return node;
}
inline models::Node list(std::vector<models::Node> items) {
  models::Node node;
  node.kind = models::NodeKind::sequence;
  node.items = std::move(items);
  return node;
}
struct Pair {
  std::string key;
  models::Node value;
  Pair(std::string k, models::Node v) : key(std::move(k)), value(std::move(v)) {}
  Pair(std::string k, const char* text) : key(std::move(k)), value(scalar(text)) {}
  Pair(std::string k, std::string text) : key(std::move(k)), value(scalar(std::move(text))) {}
  Pair(std::string k, int number) : key(std::move(k)), value(scalar(std::to_string(number))) {}
};
inline models::Node mapping(std::vector<Pair> pairs) {
  models::Node node;
  node.kind = models::NodeKind::mapping;
  for (Pair& pair : pairs) {
    models::Entry entry;
    entry.key = std::move(pair.key);
    entry.value = std::move(pair.value);
    node.entries.push_back(std::move(entry));
  }
  return node;
}

}  // namespace documents
