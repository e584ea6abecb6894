#pragma once
// What a row of a table makes when no key is given.

#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/base/table.hpp"

namespace models {

class NoPresets final : public Presets {
 public:
  const Node* find(std::string_view, std::string_view) const override { return nullptr; }
  std::vector<std::string> names(std::string_view) const override { return {}; }
};

// Throws Error when the row has a required key.
template <class T>
T made_by_default(const Row<T>& row) {
  Node no_keys;
  no_keys.kind = NodeKind::mapping;
  Diagnostics diagnostics;
  const NoPresets presets;
  Params params(no_keys, "", diagnostics, presets);
  T made = row.read(params);
  diagnostics.throw_if_any();
  return made;
}

}  // namespace models
