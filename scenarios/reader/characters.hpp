#pragma once
// Bytes of a file -> lines of legal UTF-8 text.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scenarios {

// Code points in legal UTF-8.
std::size_t character_count(std::string_view text);
// Lines without their ends. Throws models::Error at the first byte that no text file holds, and at a line longer than
// `longest`.
std::vector<std::string_view> checked_lines(std::string_view text, const std::string& file, std::size_t longest);

}  // namespace scenarios
