#pragma once
// The inside of Params, shared by its .cpp files.

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "models/base/params.hpp"

namespace models {

struct ParamsSession;

// One mapping under reading. `node` is nothing when it is absent, when a plug-in is written as its bare name, and in
// describing mode.
struct ParamsState {
  ParamsSession* session = nullptr;
  ParamsState* parent = nullptr;
  const Node* node = nullptr;
  Place place;
  std::string path;
  std::string preset;
  bool absent = false;  // the whole section is missing: its first required key says so, once
  bool finished = false;
  std::vector<std::string> asked;   // read by a getter
  std::vector<std::string> probed;  // asked for by has() or kind_of(): optional
  std::vector<ParamsState*> children;

  const Entry* entry(std::string_view key) const;
  std::string key_path(std::string_view key) const;
  void ask(std::string_view key);
  void probe(std::string_view key);
  bool describing() const;
  void declare(std::string_view key, Declaration declaration);
  void add(Place where, std::string message, std::string hint = {}) const;
  void report_missing(std::string_view key, std::string_view help);
  // A child mapping; `mapping` may be nothing.
  ParamsState* child(const Node* mapping, Place where, std::string child_path);
  static Params wrapped(const Params& parent, ParamsState* state) { return Params(parent.session_, state); }
};

struct ParamsSession {
  Diagnostics* diagnostics = nullptr;
  std::vector<Declaration>* declarations = nullptr;  // describing mode
  std::unordered_set<std::string> declared;          // their paths
  const Presets* presets = nullptr;
  std::deque<ParamsState> states;
  std::deque<Node> merged;  // presets with entries laid over them
};

// The scalar at `key`, or nothing with what is wrong recorded; `expected`: "a time".
const Node* scalar_at(ParamsState& state, std::string_view key, std::string_view help, bool required,
                      std::string_view expected);

// Of a mapping's or list's key, of a scalar itself.
Place place_of(const Entry& entry);

}  // namespace models
