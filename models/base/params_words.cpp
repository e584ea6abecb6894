// Words: texts, flags, names of a list.

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "models/base/params_state.hpp"

namespace models {

const Node* scalar_at(ParamsState& state, std::string_view key, std::string_view help, bool required,
                      std::string_view expected) {
  const Entry* entry = state.entry(key);
  if (!entry) {
    if (required) state.report_missing(key, help);
    return nullptr;
  }
  if (entry->value.kind == NodeKind::scalar) return &entry->value;
  if (entry->value.kind == NodeKind::null)
    state.add(entry->place, fmt::format("'{}' has no value", key), fmt::format("{}: {}", key, help));
  else
    state.add(entry->place, fmt::format("'{}' must be {}, not {}", key, expected, kind_name(entry->value.kind)),
              fmt::format("{}: {}", key, help));
  return nullptr;
}

std::string Params::text(std::string_view key, std::string_view help, std::optional<std::string> fallback) {
  Declaration declaration;
  declaration.type = "text";
  declaration.default_text = fallback.value_or("");
  declaration.required = !fallback;
  declaration.help = std::string(help);
  state_->declare(key, std::move(declaration));
  if (describing()) return fallback.value_or("");
  const Node* node = scalar_at(*state_, key, help, !fallback, "text");
  return node ? node->text : fallback.value_or("");
}

bool Params::flag(std::string_view key, std::string_view help, std::optional<bool> fallback) {
  Declaration declaration;
  declaration.type = "flag";
  declaration.default_text = !fallback ? "" : *fallback ? "true" : "false";
  declaration.required = !fallback;
  declaration.help = std::string(help);
  declaration.choices = {"true", "false"};
  state_->declare(key, std::move(declaration));
  if (describing()) return fallback.value_or(false);
  const Node* node = scalar_at(*state_, key, help, !fallback, "true or false");
  if (!node) return fallback.value_or(false);
  std::string word = node->text;
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  state_->add(node->place, fmt::format("'{}' is neither true nor false", node->text),
              fmt::format("'{}' is true or false", key));
  return fallback.value_or(false);
}

std::size_t Params::choice(std::string_view key, std::span<const std::string_view> names, std::string_view help,
                           std::optional<std::size_t> fallback) {
  Declaration declaration;
  declaration.type = "choice";
  declaration.choices.assign(names.begin(), names.end());
  declaration.default_text = fallback ? std::string(names[*fallback]) : "";
  declaration.required = !fallback;
  declaration.help = std::string(help);
  const std::vector<std::string> known = declaration.choices;
  state_->declare(key, std::move(declaration));
  if (describing()) return fallback.value_or(0);
  const Node* node = scalar_at(*state_, key, help, !fallback, "a name");
  if (!node) return fallback.value_or(0);
  const auto found = std::find(names.begin(), names.end(), node->text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  state_->add(node->place, fmt::format("{} '{}' is not known", key, node->text), known_hint(node->text, known));
  return fallback.value_or(0);
}

}  // namespace models
