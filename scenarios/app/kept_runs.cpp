#include "scenarios/app/kept_runs.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "analysis/report/json.hpp"
#include "scenarios/app/output_folder.hpp"

namespace scenarios {

namespace fs = std::filesystem;

namespace {

// FNV-1a, 64 bits: only a file name; the whole identity stands in the file's first line.
std::uint64_t name_hash(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

}  // namespace

RunFolder::RunFolder(fs::path folder, std::string identity)
    : folder_(std::move(folder)), identity_(std::move(identity)) {
  std::error_code failed;
  fs::create_directories(folder_, failed);  // a failure shows at the first keep()
}

std::string RunFolder::identity(const Point& point) const {
  std::string text = identity_ + "\x1f" + point.variant + "\x1f" + fmt::format("{}", point.seed);
  for (const sim::PointValue& value : point.at) text += "\x1f" + value.key + "=" + value.text;
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

fs::path RunFolder::path(const std::string& identity) const {
  return folder_ / fmt::format("{:016x}.run", name_hash(identity));
}

std::optional<sim::Run> RunFolder::find(const Point& point) const {
  const std::string expected = identity(point);
  std::ifstream file(path(expected), std::ios::binary);
  std::string first;
  if (!file || !std::getline(file, first) || first != expected) return std::nullopt;
  std::ostringstream rest;
  rest << file.rdbuf();
  return analysis::run_from_text(rest.str());
}

void RunFolder::keep(const Point& point, const sim::Run& run) {
  const std::string text = identity(point);
  replace_file(path(text), text + "\n" + analysis::run_to_text(run));
}

}  // namespace scenarios
