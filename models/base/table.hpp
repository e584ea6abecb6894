#pragma once
// Table<T>: the rows of one plug-in point. A row is a name, a help line with its source, and a reader of its keys.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace models {

class Params;

template <class T>
struct Row {
  std::string_view name;
  std::string_view help;  // one line; ends with the source in brackets
  T (*read)(Params&);     // asks for all its keys before it looks at any value
};

template <class T>
class Table {
 public:
  constexpr Table(std::string_view point, std::span<const Row<T>> rows) : point_(point), rows_(rows) {}
  std::string_view point() const { return point_; }  // "compressor", for messages
  std::span<const Row<T>> rows() const { return rows_; }
  const Row<T>* find(std::string_view name) const {
    for (const Row<T>& row : rows_)
      if (row.name == name) return &row;
    return nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Row<T>& row : rows_) all.emplace_back(row.name);
    return all;
  }

 private:
  std::string_view point_;
  std::span<const Row<T>> rows_;
};

}  // namespace models
