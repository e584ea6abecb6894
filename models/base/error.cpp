#include "models/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include <fmt/format.h>

namespace models {
namespace {

constexpr std::size_t excerpt_width = 120;  // characters of a long line that are shown around the caret

// Bytes of the UTF-8 character that `text` begins with; 0: none does (RFC 3629).
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const unsigned first = byte(0);
  if (first < 0x80u) return 1;
  const std::size_t size = first >= 0xF0u ? 4 : first >= 0xE0u ? 3 : 2;
  if (first < 0xC2u || first > 0xF4u || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
  const bool too_long = (first == 0xE0u && byte(1) < 0xA0u) || (first == 0xF0u && byte(1) < 0x90u);
  const bool none = (first == 0xEDu && byte(1) > 0x9Fu) || (first == 0xF4u && byte(1) > 0x8Fu);
  return too_long || none ? 0 : size;
}

// Characters as a terminal may show them: what it would obey, or could not read, becomes \xNN.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool control = size == 1 && (first < 0x20u || first == 0x7Fu) && first != '\t' && first != '\n';
    const bool second_control = size == 2 && first == 0xC2u && static_cast<unsigned char>(text[1]) < 0xA0u;
    if (size == 0 || control)
      all.push_back(fmt::format("\\x{:02x}", first));
    else if (second_control)  // U+0080 to U+009F
      all.push_back(fmt::format("\\x{:02x}", static_cast<unsigned char>(text[1])));
    else
      all.emplace_back(text.substr(0, size));
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return all;
}

std::string shown(std::string_view text) { return fmt::format("{}", fmt::join(characters(text), "")); }

// Cut to whole characters; `caret` counted from 1, in characters of the line, then in those that are shown.
struct Window {
  std::string text;
  std::size_t caret;
};

Window window(const std::string& line, std::size_t caret) {
  const std::vector<std::string> all = characters(line);
  std::size_t begin = 0;
  if (all.size() > excerpt_width && caret > excerpt_width / 2)
    begin = std::min(caret - excerpt_width / 2, all.size() - excerpt_width);
  const std::size_t end = std::min(all.size(), begin + excerpt_width);
  Window cut{begin > 0 ? "..." : "", caret - begin + (begin > 0 ? 3 : 0)};
  for (std::size_t i = begin; i < end; ++i) {
    const bool escaped = all[i].size() == 4 && all[i].front() == '\\';
    if (escaped && i + 1 < caret) cut.caret += 3;
    cut.text += all[i] == "\t" ? std::string(" ") : all[i];
  }
  if (end < all.size()) cut.text += "...";
  return cut;
}

// Optimal string alignment distance: insert, delete, replace, swap two neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string folded(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    plain += lower == '-' || lower == ' ' ? '_' : lower;
  }
  return plain;
}

std::string all_rendered(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += rendered(diagnostic);
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

std::string rendered(const Diagnostic& diagnostic) {
  const Place& place = diagnostic.place;
  std::string text;
  if (!place.file.empty()) text += shown(place.file) + ":";
  if (place.line > 0) text += fmt::format("{}:{}:", place.line, place.column);
  text += fmt::format("{}error: {}\n", text.empty() ? "" : " ", shown(diagnostic.message));
  if (!place.excerpt.empty() && place.column > 0) {
    const Window cut = window(place.excerpt, static_cast<std::size_t>(place.column));
    const std::string number = place.line > 0 ? std::to_string(place.line) : std::string();
    text += fmt::format("  {} | {}\n", number, cut.text);
    text += fmt::format("  {} | {}^\n", std::string(number.size(), ' '), std::string(cut.caret - 1, ' '));
  }
  if (!diagnostic.hint.empty()) text += fmt::format("  hint: {}\n", shown(diagnostic.hint));
  return text;
}

Error::Error(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(all_rendered(diagnostics)), diagnostics_(std::move(diagnostics)) {}

Error::Error(Place place, std::string message, std::string hint)
    : Error(std::vector<Diagnostic>{Diagnostic{std::move(place), std::move(message), std::move(hint)}}) {}

std::vector<std::string> nearest(std::string_view wrong, const std::vector<std::string>& known, std::size_t most) {
  constexpr std::size_t longest = 200;  // nobody misspells a name this long; keeps the quadratic distance cheap
  if (wrong.size() > longest) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : known) {
    const std::size_t changes = distance(folded(wrong), folded(name));
    const std::size_t longer = std::max(wrong.size(), name.size());
    const std::size_t allowed = longer <= 2 ? 0 : std::max<std::size_t>(1, longer / 3);
    if (changes <= allowed) near.emplace_back(changes, name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, near.size()); ++i) names.push_back(near[i].second);
  return names;
}

}  // namespace models
