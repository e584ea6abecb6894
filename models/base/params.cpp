#include "models/base/params.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "models/base/params_state.hpp"

namespace models {

void Diagnostics::add(Diagnostic diagnostic) { all_.push_back(std::move(diagnostic)); }

void Diagnostics::throw_if_any() const {
  if (all_.empty()) return;
  std::vector<Diagnostic> sorted = all_;
  const auto key = [](const Diagnostic& d) { return std::tie(d.place.file, d.place.line, d.place.column); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  // The points of a sweep repeat the errors of what they share.
  std::vector<Diagnostic> once;
  for (Diagnostic& diagnostic : sorted) {
    const auto same = [&](const Diagnostic& other) {
      return other.message == diagnostic.message && other.place == diagnostic.place;
    };
    if (std::none_of(once.begin(), once.end(), same)) once.push_back(std::move(diagnostic));
  }
  throw Error(std::move(once));
}

Place place_of(const Entry& entry) {
  return entry.value.kind == NodeKind::scalar && entry.value.place.line > 0 ? entry.value.place : entry.place;
}

std::string_view kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::null:
      return "nothing";
    case NodeKind::scalar:
      return "a single value";
    case NodeKind::sequence:
      return "a list";
    case NodeKind::mapping:
      return "a mapping";
  }
  return "";
}

std::string known_hint(std::string_view wrong, const std::vector<std::string>& known) {
  if (known.empty()) return "nothing is known here";
  const std::vector<std::string> near = nearest(wrong, known);
  return fmt::format("{}known: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near.front()),
                     fmt::join(known, ", "));
}

const Entry* ParamsState::entry(std::string_view key) const {
  if (!node || node->kind != NodeKind::mapping) return nullptr;
  for (const Entry& candidate : node->entries)
    if (candidate.key == key) return &candidate;
  return nullptr;
}

std::string ParamsState::key_path(std::string_view key) const {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

void ParamsState::ask(std::string_view key) {
  if (std::find(asked.begin(), asked.end(), key) == asked.end()) asked.emplace_back(key);
}

void ParamsState::probe(std::string_view key) {
  if (std::find(probed.begin(), probed.end(), key) == probed.end()) probed.emplace_back(key);
}

bool ParamsState::describing() const { return session->declarations != nullptr; }

void ParamsState::declare(std::string_view key, Declaration declaration) {
  ask(key);
  if (!describing()) return;
  declaration.path = key_path(key);
  if (std::find(probed.begin(), probed.end(), key) != probed.end()) declaration.required = false;
  if (session->declared.insert(declaration.path).second) session->declarations->push_back(std::move(declaration));
}

void ParamsState::add(Place where, std::string message, std::string hint) const {
  if (session->diagnostics) session->diagnostics->add({std::move(where), std::move(message), std::move(hint)});
}

void ParamsState::report_missing(std::string_view key, std::string_view help) {
  if (!absent) {
    const std::string inside = path.empty() ? std::string() : fmt::format(" in '{}'", path);
    add(place, fmt::format("'{}' is missing{}", key, inside), fmt::format("{}: {}", key, help));
    return;
  }
  ParamsState* outermost = this;  // `cluster` is missing, rather than cluster.topology.shape
  while (outermost->parent && outermost->parent->absent) outermost = outermost->parent;
  if (outermost->finished || finished) return;
  const std::string inner =
      path == outermost->path ? std::string(key) : fmt::format("{}.{}", path.substr(outermost->path.size() + 1), key);
  add(outermost->place, fmt::format("'{}' is missing", outermost->path),
      fmt::format("'{}' needs at least '{}': {}", outermost->path, inner, help));
  outermost->finished = true;
}

ParamsState* ParamsState::child(const Node* mapping, Place where, std::string child_path) {
  ParamsState& made = session->states.emplace_back();
  made.session = session;
  made.parent = this;
  made.node = mapping;
  made.place = std::move(where);
  made.path = std::move(child_path);
  children.push_back(&made);
  return &made;
}

Params::Params(const Node& mapping, std::string path, Diagnostics& diagnostics, const Presets& presets)
    : session_(std::make_shared<ParamsSession>()) {
  session_->diagnostics = &diagnostics;
  session_->presets = &presets;
  state_ = &session_->states.emplace_back();
  state_->session = session_.get();
  state_->node = &mapping;
  state_->place = mapping.place;
  state_->path = std::move(path);
}

Params::Params(std::string path, std::vector<Declaration>& declarations, const Presets& presets)
    : session_(std::make_shared<ParamsSession>()) {
  session_->declarations = &declarations;
  session_->presets = &presets;
  state_ = &session_->states.emplace_back();
  state_->session = session_.get();
  state_->path = std::move(path);
}

bool Params::describing() const { return state_->describing(); }

bool Params::has(std::string_view key) const {
  state_->probe(key);
  return describing() || state_->entry(key) != nullptr;
}

NodeKind Params::kind_of(std::string_view key) const {
  state_->probe(key);
  if (describing()) return NodeKind::mapping;
  const Entry* entry = state_->entry(key);
  return entry ? entry->value.kind : NodeKind::null;
}

Place Params::place(std::string_view key) const {
  const Entry* entry = state_->entry(key);
  return entry ? place_of(*entry) : state_->place;
}

Place Params::place() const { return state_->place; }
const std::string& Params::preset_name() const { return state_->preset; }
const std::string& Params::path() const { return state_->path; }

const Node* Params::raw(std::string_view key, std::string_view type, std::string_view help) {
  Declaration declaration;
  declaration.type = std::string(type);
  declaration.help = std::string(help);
  state_->declare(key, std::move(declaration));
  const Entry* entry = state_->entry(key);
  return entry ? &entry->value : nullptr;
}

void Params::report(std::string_view key, std::string message, std::string hint) {
  state_->add(place(key), std::move(message), std::move(hint));
}

void Params::report_at(Place where, std::string message, std::string hint) {
  state_->add(std::move(where), std::move(message), std::move(hint));
}

void Params::finish() {
  for (ParamsState* child : state_->children) Params(session_, child).finish();
  if (state_->finished || describing()) return;
  state_->finished = true;
  if (!state_->node) return;
  std::vector<std::string> known = state_->asked;
  for (const std::string& key : state_->probed)
    if (std::find(known.begin(), known.end(), key) == known.end()) known.push_back(key);
  for (const Entry& entry : state_->node->entries) {
    if (std::find(state_->asked.begin(), state_->asked.end(), entry.key) != state_->asked.end()) continue;
    const std::string inside = state_->path.empty() ? std::string() : fmt::format(" in '{}'", state_->path);
    state_->add(entry.place, fmt::format("key '{}' is not known{}", entry.key, inside), known_hint(entry.key, known));
  }
}

}  // namespace models
