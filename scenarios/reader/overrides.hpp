#pragma once
// Overrides: KEY.PATH = value, from variants, sweep points and --set. An override replaces the whole value at its path.

#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.hpp"

namespace scenarios {

struct Override {
  std::vector<std::string> path;  // keys; list items by index
  models::Node value;
  models::Place place;  // of the key
};

std::vector<std::string> split_path(std::string_view dotted);
std::string joined(const std::vector<std::string>& path);
// Is `path` equal to `prefix` or below it?
bool lies_within(const std::vector<std::string>& path, const std::vector<std::string>& prefix);

// Each entry of a mapping as an override; complains about empty keys and parts of keys.
std::vector<Override> overrides_of(const models::Node& mapping, models::Diagnostics& diagnostics);
// `KEY=VALUE` of a command-line option; VALUE is YAML. Throws models::Error.
Override parse_assignment(std::string_view option, const std::string& argument);

// Missing parents are made. A preset or plug-in written as its bare name becomes the mapping that deeper paths need.
void apply(models::Node& root, const Override& change, models::Diagnostics& diagnostics);

}  // namespace scenarios
