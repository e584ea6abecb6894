#pragma once
// The keys of the language, found again by path in the declarations of its readers.

#include <string>
#include <vector>

namespace scenarios {

// `preset` where a preset may stand at `path`, `name` where a plug-in may; empty elsewhere.
std::string name_key(const std::vector<std::string>& path);
// Some reader asks for a key of this path, or for one below it.
bool is_key(const std::vector<std::string>& path);

}  // namespace scenarios
