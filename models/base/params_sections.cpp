// Nested mappings: sections, lists, presets, plug-ins.

#include <fmt/format.h>

#include "models/base/params_state.hpp"

namespace models {
namespace {

Declaration section_declaration(std::string_view type, std::string_view help, bool required) {
  Declaration declaration;
  declaration.type = std::string(type);
  declaration.help = std::string(help);
  declaration.required = required;
  return declaration;
}

// A child that stands for a missing or wrong mapping; `known`: the cause is already recorded, its required keys keep
// silent.
enum class Cause { unknown, recorded };
ParamsState* absent_child(ParamsState& parent, std::string_view key, Place place, Cause cause) {
  ParamsState* made = parent.child(nullptr, std::move(place), parent.key_path(key));
  made->absent = true;
  made->finished = cause == Cause::recorded;
  return made;
}

Node laid_over(const Node& preset, const Node& overrides) {
  Node merged = preset;
  merged.place = overrides.place;
  for (const Entry& entry : overrides.entries) {
    if (entry.key == "preset") continue;
    bool replaced = false;
    for (Entry& old : merged.entries) {
      if (old.key != entry.key) continue;
      old = entry;
      replaced = true;
    }
    if (!replaced) merged.entries.push_back(entry);
  }
  return merged;
}

}  // namespace

Params Params::section(std::string_view key, std::string_view help) {
  state_->declare(key, section_declaration("section", help, false));
  const auto wrapped = [this](ParamsState* state) { return ParamsState::wrapped(*this, state); };
  if (describing()) return wrapped(state_->child(nullptr, {}, state_->key_path(key)));
  const Entry* entry = state_->entry(key);
  if (!entry || entry->value.kind == NodeKind::null) {
    return wrapped(absent_child(*state_, key, entry ? entry->place : state_->place, Cause::unknown));
  }
  if (entry->value.kind != NodeKind::mapping) {
    state_->add(place_of(*entry), fmt::format("'{}' must be a mapping, not {}", key, kind_name(entry->value.kind)),
                fmt::format("{}: {}", key, help));
    return wrapped(absent_child(*state_, key, entry->place, Cause::recorded));
  }
  return wrapped(state_->child(&entry->value, entry->place, state_->key_path(key)));
}

std::optional<Params> Params::optional_section(std::string_view key, std::string_view help) {
  if (!describing() && !state_->entry(key)) {
    state_->ask(key);
    return std::nullopt;
  }
  return section(key, help);
}

std::vector<Params> Params::list(std::string_view key, std::string_view help) {
  state_->declare(key, section_declaration("list", help, false));
  std::vector<Params> all;
  if (describing()) {
    all.push_back(ParamsState::wrapped(*this, state_->child(nullptr, {}, state_->key_path(key) + "[]")));
    return all;
  }
  const Entry* entry = state_->entry(key);
  if (!entry || entry->value.kind == NodeKind::null) return all;
  if (entry->value.kind != NodeKind::sequence) {
    state_->add(place_of(*entry), fmt::format("'{}' must be a list, not {}", key, kind_name(entry->value.kind)),
                fmt::format("{}: {}", key, help));
    return all;
  }
  for (std::size_t i = 0; i < entry->value.items.size(); ++i) {
    const Node& item = entry->value.items[i];
    if (item.kind != NodeKind::mapping)
      state_->add(item.place, fmt::format("'{}' holds {} where a mapping belongs", key, kind_name(item.kind)),
                  fmt::format("{}: {}", key, help));
    else
      all.push_back(ParamsState::wrapped(
          *this, state_->child(&item, item.place, fmt::format("{}[{}]", state_->key_path(key), i))));
  }
  return all;
}

std::vector<std::pair<std::string, Params>> Params::named_sections(std::string_view key, std::string_view help) {
  state_->declare(key, section_declaration("section", help, false));
  std::vector<std::pair<std::string, Params>> all;
  if (describing()) {
    all.emplace_back("<name>",
                     ParamsState::wrapped(*this, state_->child(nullptr, {}, state_->key_path(key) + ".<name>")));
    return all;
  }
  const Entry* entry = state_->entry(key);
  if (!entry || entry->value.kind == NodeKind::null) return all;
  if (entry->value.kind != NodeKind::mapping) {
    state_->add(place_of(*entry), fmt::format("'{}' must be a mapping, not {}", key, kind_name(entry->value.kind)),
                fmt::format("{}: {}", key, help));
    return all;
  }
  for (const Entry& named : entry->value.entries) {
    if (named.value.kind != NodeKind::mapping && named.value.kind != NodeKind::null) {
      state_->add(place_of(named),
                  fmt::format("'{}' must be a mapping, not {}", named.key, kind_name(named.value.kind)),
                  fmt::format("{}: {}", key, help));
      continue;
    }
    const Node* mapping = named.value.kind == NodeKind::mapping ? &named.value : nullptr;
    all.emplace_back(
        named.key, ParamsState::wrapped(*this, state_->child(mapping, named.place,
                                                             fmt::format("{}.{}", state_->key_path(key), named.key))));
  }
  return all;
}

Params Params::preset(std::string_view key, std::string_view kind, std::string_view help,
                      std::optional<std::string> fallback) {
  const Presets& presets = *session_->presets;
  Declaration declaration = section_declaration(kind, help, !fallback);
  declaration.default_text = fallback.value_or("");
  if (describing()) declaration.choices = presets.names(kind);
  state_->declare(key, std::move(declaration));
  const std::string path = state_->key_path(key);
  const auto wrapped = [this](ParamsState* state) { return ParamsState::wrapped(*this, state); };
  if (describing()) return wrapped(state_->child(nullptr, {}, path));

  const Entry* entry = state_->entry(key);
  const Entry* base = nullptr;  // the `preset:` of a mapping
  std::string name;
  if (!entry) {
    if (!fallback) {
      state_->report_missing(key, help);
      return wrapped(absent_child(*state_, key, state_->place, Cause::recorded));
    }
    name = *fallback;
  } else if (entry->value.kind == NodeKind::scalar) {
    name = entry->value.text;
  } else if (entry->value.kind == NodeKind::mapping) {
    for (const Entry& candidate : entry->value.entries)
      if (candidate.key == "preset") base = &candidate;
    if (!base) return wrapped(state_->child(&entry->value, entry->place, path));
    name = base->value.text;
  } else {
    state_->add(entry->place,
                fmt::format("'{}' must be a name or a mapping, not {}", key, kind_name(entry->value.kind)),
                fmt::format("{}: {}", key, help));
    return wrapped(absent_child(*state_, key, entry->place, Cause::recorded));
  }
  const Node* found = presets.find(kind, name);
  if (!found) {
    const Place place = base ? place_of(*base) : entry ? place_of(*entry) : state_->place;
    state_->add(place, fmt::format("{} '{}' is not known", kind, name), known_hint(name, presets.names(kind)));
    return wrapped(absent_child(*state_, key, place, Cause::recorded));
  }
  const Node* mapping = found;
  if (base) mapping = &session_->merged.emplace_back(laid_over(*found, entry->value));
  ParamsState* made = state_->child(mapping, base ? entry->place : found->place, path);
  made->preset = name;
  return wrapped(made);
}

Params::Chosen Params::chosen(std::string_view key, std::string_view point, const std::vector<std::string>& names,
                              const std::vector<std::string>& helps, std::string_view help,
                              const std::optional<std::string>& fallback, Where where) {
  Declaration declaration = section_declaration("plug-in", help, !fallback);
  declaration.default_text = fallback.value_or("");
  declaration.choices = names;
  state_->declare(key, std::move(declaration));
  Chosen choice;
  if (describing()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      Declaration row = section_declaration("row", helps[i], false);
      ParamsState* body = described_row(key, names[i], where).state_;
      row.path = body->path;
      session_->declarations->push_back(std::move(row));
    }
    return choice;
  }
  const Entry* entry = state_->entry(key);
  const Node* body = nullptr;
  Place place = state_->place, body_place = state_->place;
  if (!entry) {
    if (!fallback) {
      state_->report_missing(key, help);
      return choice;
    }
    choice.name = *fallback;
  } else if (entry->value.kind == NodeKind::scalar) {
    choice.name = entry->value.text;
    place = entry->value.place;
    body_place = entry->place;
  } else if (entry->value.kind == NodeKind::mapping && where == Where::below) {
    const Entry* named = nullptr;
    for (const Entry& candidate : entry->value.entries)
      if (candidate.key == "name") named = &candidate;
    if (!named || named->value.kind != NodeKind::scalar) {
      if (named || !fallback) {
        state_->add(named ? named->place : entry->place, fmt::format("'{}' has no 'name'", state_->key_path(key)),
                    fmt::format("known: {}", fmt::join(names, ", ")));
        return choice;
      }
      choice.name = *fallback;
    } else {
      choice.name = named->value.text;
      place = named->value.place;
    }
    body = &entry->value;
    body_place = entry->place;
  } else {
    state_->add(entry->place,
                fmt::format("'{}' must be a name{}, not {}", key,
                            where == Where::below ? " or a mapping with a 'name'" : "", kind_name(entry->value.kind)),
                fmt::format("known: {}", fmt::join(names, ", ")));
    return choice;
  }
  bool known = false;
  for (const std::string& name : names) known = known || name == choice.name;
  if (!known) {
    state_->add(place, fmt::format("{} '{}' is not known", point, choice.name), known_hint(choice.name, names));
    // The wrong name is the one thing to mend: the keys of a row nobody knows are not judged.
    if (where == Where::beside) state_->finished = true;
    return choice;
  }
  if (where == Where::beside) {
    choice.body.push_back(*this);
    return choice;
  }
  ParamsState* made = state_->child(body, body_place, state_->key_path(key));
  made->ask("name");
  choice.body.push_back(ParamsState::wrapped(*this, made));
  return choice;
}

Params Params::described_row(std::string_view key, std::string_view row, Where where) const {
  const std::string base = where == Where::below ? state_->key_path(key) : state_->path;
  return ParamsState::wrapped(*this, state_->child(nullptr, {}, fmt::format("{}{{{}}}", base, row)));
}

}  // namespace models
