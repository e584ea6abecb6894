#pragma once
// What the scenario language offers, as text: list, explain, schema, new. All but `new` come from the declarations the
// reader uses.

#include <optional>
#include <string>
#include <string_view>

namespace scenarios {

// Every plug-in and preset with one line and its source, or those of one kind; models::Error for an unknown kind.
std::string listing(const std::optional<std::string>& kind);
// Figures of one topology: an explicit graph, an imported file, a scenario's file (each distinct cluster) or a mapping.
std::string topology_figures(const std::string& name);
// Type, unit, range, default, meaning of a key, wherever it stands; models::Error for an unknown one.
std::string explanation(const std::string& key);
// JSON Schema, draft 2020-12.
std::string schema();
// A commented scenario to start from: training or collective.
std::string_view template_of(std::string_view job);

}  // namespace scenarios
