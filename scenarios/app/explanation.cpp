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

// The rows of plug-ins a path runs through: `adam` in training.algorithm{adam}.betas.
std::string rows_of(const std::string& path) {
  std::string rows;
  for (std::size_t open = path.find('{'); open != std::string::npos; open = path.find('{', open + 1))
    rows += (rows.empty() ? "" : " > ") + path.substr(open + 1, path.find('}', open) - open - 1);
  return rows;
}

std::string facts(const models::Declaration& one) {
  std::string text = fmt::format("  {}\n  type: {}", one.help, one.type);
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

// Equal texts under one heading, in the order of their first; with the rows that each holds for.
class Grouped {
 public:
  void add(std::string heading, const std::string& rows, std::string text) {
    const auto same = [&](const Entry& other) { return other.heading == heading && other.text == text; };
    auto found = std::find_if(entries_.begin(), entries_.end(), same);
    if (found == entries_.end()) found = entries_.insert(found, {std::move(heading), {}, std::move(text)});
    if (!rows.empty() && std::find(found->rows.begin(), found->rows.end(), rows) == found->rows.end())
      found->rows.push_back(rows);
  }
  struct Entry {
    std::string heading;
    std::vector<std::string> rows;
    std::string text;
    std::string title() const {
      return rows.empty() ? heading : fmt::format("{} ({})", heading, fmt::join(rows, ", "));
    }
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// The keys right below `path`, one line each.
std::string keys_below(const std::string& path, const std::vector<models::Declaration>& all) {
  Grouped keys;
  for (const models::Declaration& one : all) {
    const std::string own = written(one.path);
    if (one.type == "row" || own.size() <= path.size() || !own.starts_with(path)) continue;
    std::string rest = own.substr(path.size());
    if (rest.starts_with("[]")) rest.erase(0, 2);
    if (!rest.starts_with(".") || rest.find('.', 1) != std::string::npos) continue;
    keys.add(rest.substr(1), rows_of(one.path), one.help);
  }
  std::size_t width = 0;
  constexpr std::size_t widest = 40;
  for (const Grouped::Entry& key : keys.entries()) width = std::max(width, std::min(widest, key.title().size()));
  std::string text = keys.entries().empty() ? "" : "  keys below it:\n";
  for (const Grouped::Entry& key : keys.entries())
    text += fmt::format("    {:<{}}  {}\n", key.title(), width, key.text);
  return text;
}

}  // namespace

std::string explanation(const std::string& key) {
  const std::vector<models::Declaration>& all = declarations();
  const std::string wanted = written(key);
  Grouped exact, ending;
  std::vector<std::string> known;
  for (const models::Declaration& one : all) {
    const std::string path = written(one.path);
    known.push_back(path);
    if (one.type == "row") continue;
    if (path == wanted || one.path == key)
      exact.add(path, rows_of(one.path), facts(one));
    else if (ends_in(path, wanted))
      ending.add(path, rows_of(one.path), facts(one));
  }
  const std::vector<Grouped::Entry>& found = exact.entries().empty() ? ending.entries() : exact.entries();
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    text += (i == 0 ? "" : "\n") + found[i].title() + "\n" + found[i].text;
    const bool more_of_it = i + 1 < found.size() && found[i + 1].heading == found[i].heading;
    if (!more_of_it) text += keys_below(found[i].heading, all);
  }
  if (!text.empty()) return text;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::vector<std::string> near = models::nearest(wanted, known, 3);
  throw models::Error(
      {}, fmt::format("key '{}' is not known", key),
      near.empty() ? "`windtunnel schema` holds all keys" : fmt::format("did you mean {}?", fmt::join(near, ", ")));
}

}  // namespace scenarios
