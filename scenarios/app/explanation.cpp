#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "scenarios/app/catalogue.hpp"
#include "scenarios/reader/scenario.hpp"

namespace scenarios {

namespace {

// As a user writes a path: without the row of a plug-in, list positions as [].
std::string written(const std::string& path) {
  std::string text;
  bool in_row = false, in_index = false;
  for (const char c : path) {
    if (c == '{') in_row = true;
    if (c == ']') in_index = false;
    if (!in_row && !in_index) text += c;
    if (c == '}') in_row = false;
    if (c == '[') in_index = true;
  }
  return text;
}

bool ends_in(const std::string& path, const std::string& key) {
  if (!path.ends_with(key)) return false;
  return path.size() == key.size() || path[path.size() - key.size() - 1] == '.';
}

std::string described(const models::Declaration& one) {
  std::string text = fmt::format("{}\n  {}\n  type: {}", one.path, one.help, one.type);
  if (!one.unit.empty()) text += fmt::format(" in {}", one.unit);
  if (!one.range.empty()) text += fmt::format(", {}", one.range);
  text += "\n";
  if (one.required)
    text += "  required\n";
  else if (!one.default_text.empty())
    text += fmt::format("  default: {}\n", one.default_text);
  if (!one.choices.empty()) text += fmt::format("  one of: {}\n", fmt::join(one.choices, ", "));
  return text;
}

}  // namespace

std::string explanation(const std::string& key) {
  const std::vector<models::Declaration> all = declarations();
  const std::string wanted = written(key);
  std::string exact, ending;
  std::vector<std::string> known;
  for (const models::Declaration& one : all) {
    const std::string path = written(one.path);
    known.push_back(path);
    const bool whole = path == wanted || one.path == key;
    if (whole && one.type != "row") exact += (exact.empty() ? "" : "\n") + described(one);
    if (!whole && one.type != "row" && ends_in(path, wanted)) ending += (ending.empty() ? "" : "\n") + described(one);
  }
  if (!exact.empty()) return exact;
  if (!ending.empty()) return ending;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::vector<std::string> near = models::nearest(wanted, known, 3);
  throw models::Error(
      {}, fmt::format("key '{}' is not known", key),
      near.empty() ? "`windtunnel schema` holds all keys" : fmt::format("did you mean {}?", fmt::join(near, ", ")));
}

}  // namespace scenarios
