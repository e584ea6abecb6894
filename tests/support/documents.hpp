#pragma once
// Mappings written in a test, in a small part of YAML's flow style: "momentum: 0.9, noise: {std: 0.1}, betas: [0.9,
// 0.999]".

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/defaults.hpp"
#include "models/base/error.hpp"

namespace support {

class FlowReader {
 public:
  explicit FlowReader(std::string_view text) : text_(text) {}

  models::Node mapping(char end) {
    models::Node node;
    node.kind = models::NodeKind::mapping;
    node.place = place();
    while (!at(end)) {
      models::Entry entry;
      entry.place = place();
      entry.key = word(":");
      ++at_;
      entry.value = value();
      node.entries.push_back(entry);
      skip(',');
    }
    ++at_;
    return node;
  }

 private:
  models::Node value() {
    blanks();
    if (at('{')) return ++at_, mapping('}');
    models::Node node;
    node.place = place();
    if (at('[')) {
      node.kind = models::NodeKind::sequence;
      for (++at_; !at(']'); skip(',')) node.items.push_back(value());
      ++at_;
      return node;
    }
    node.kind = models::NodeKind::scalar;
    node.text = word(",}]");
    return node;
  }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool at(char c) {
    blanks();
    return at_ >= text_.size() ? c == '\0' : text_[at_] == c;
  }
  void skip(char c) {
    if (at(c)) ++at_;
  }
  std::string word(std::string_view ends) {
    blanks();
    const std::size_t end = text_.find_first_of(ends, at_);
    std::string found(text_.substr(at_, end - at_));
    at_ = end == std::string_view::npos ? text_.size() : end;
    while (!found.empty() && found.back() == ' ') found.pop_back();
    return found;
  }
  models::Place place() const { return {"test.yaml", 1, static_cast<int>(at_) + 1, std::string(text_)}; }

  std::string_view text_;
  std::size_t at_ = 0;
};

// What the row `name` of a table makes of `keys`; throws models::Error as the scenario reader does.
template <class T>
T read_row(const models::Table<T>& table, std::string_view name, std::string_view keys) {
  const models::Row<T>* row = table.find(name);
  models::ensure(row != nullptr, "the table has the row");
  const models::Node node = FlowReader(keys).mapping('\0');
  const models::NoPresets presets;
  models::Diagnostics diagnostics;
  models::Params params(node, "", diagnostics, presets);
  T made = row->read(params);
  params.finish();
  diagnostics.throw_if_any();
  return made;
}

// Every key that the row declares.
template <class T>
std::vector<models::Declaration> described(const models::Row<T>& row) {
  const models::NoPresets presets;
  std::vector<models::Declaration> declarations;
  models::Params params("", declarations, presets);
  row.read(params);
  return declarations;
}

}  // namespace support
