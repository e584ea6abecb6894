#include "scenarios/reader/characters.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace scenarios {
namespace {

using models::Error;
using models::Place;

// Length of the legal UTF-8 character at `i`; 0: not one (overlong forms, surrogates and values past U+10FFFF
// included).
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])); };
  const std::uint32_t first = byte(i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || i + length > text.size()) return 0;
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0u) != 0x80u) return 0;
    code = (code << 6) | (byte(i + k) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  return overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF ? 0 : length;
}

}  // namespace

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u ? 1 : 0;
  return count;
}

std::vector<std::string_view> checked_lines(std::string_view text, const std::string& file, std::size_t longest) {
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  const auto here = [&](std::size_t i) {
    return Place{file,
                 static_cast<int>(lines.size()) + 1,
                 static_cast<int>(character_count(text.substr(begin, i - begin))) + 1,
                 {}};
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (i - begin > longest)
      throw Error(Place{file, static_cast<int>(lines.size()) + 1, 1, {}},
                  fmt::format("this line is longer than {} KiB", longest / 1024), "break it into several lines");
    if (byte == '\n') {
      std::size_t end = i;
      if (end > begin && text[end - 1] == '\r') --end;
      lines.push_back(text.substr(begin, end - begin));
      begin = ++i;
      continue;
    }
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7F;
    if (control)
      throw Error(here(i), fmt::format("byte 0x{:02x} is not text", byte), "a scenario is a UTF-8 text file");
    const std::size_t length = utf8_length(text, i);
    if (length == 0)
      throw Error(here(i), fmt::format("byte 0x{:02x} is not legal UTF-8", byte), "save the file as UTF-8");
    i += length;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

}  // namespace scenarios
