#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "scenarios/reader/yaml.hpp"

namespace scenarios {

using models::Error;
using models::Place;

std::string read_text(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure))
    throw Error(Place{path, 0, 0, {}}, "this is a folder, not a scenario file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(Place{path, 0, 0, {}},
                fmt::format("cannot be read: {}", errno ? std::strerror(errno) : "unknown cause"));
  std::string text;
  std::array<char, 16384> part{};
  while (text.size() <= largest_file && file) {
    file.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error(Place{path, 0, 0, {}}, "cannot be read to its end");
  if (text.size() > largest_file)
    throw Error(Place{path, 0, 0, {}}, fmt::format("the file is larger than {} KiB", largest_file / 1024),
                "this is not a scenario");
  return text;
}

}  // namespace scenarios
