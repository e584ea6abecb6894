// Presets: one YAML file each, its name is the preset's name; read when first asked for.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "scenarios/reader/scenario.hpp"
#include "scenarios/reader/yaml.hpp"

namespace scenarios {
namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string_view name, folder;
};
constexpr std::array<Kind, 4> kinds{{{"device", "models/device"},
                                     {"architecture", "models/architecture"},
                                     {"link", "topologies/link"},
                                     {"topology", "topologies"}}};

std::optional<std::string_view> folder_of(std::string_view kind) {
  for (const Kind& known : kinds)
    if (known.name == kind) return known.folder;
  return std::nullopt;
}

bool is_home(const fs::path& folder) {
  std::error_code failure;
  return fs::is_directory(folder / "models/device", failure) && fs::is_directory(folder / "topologies", failure);
}

std::optional<fs::path> above(fs::path folder) {
  while (true) {
    if (is_home(folder)) return folder;
    if (!folder.has_parent_path() || folder.parent_path() == folder) return std::nullopt;
    folder = folder.parent_path();
  }
}

// Named by WINDTUNNEL_HOME, else beside or above the program, else beside or above where it was started.
std::optional<fs::path> home() {
  if (const char* named = std::getenv("WINDTUNNEL_HOME"))
    return is_home(named) ? std::optional<fs::path>(named) : std::nullopt;
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (!failure)
    if (std::optional<fs::path> found = above(program.parent_path())) return found;
  return above(fs::current_path(failure));
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

class PresetFiles final : public models::Presets {
 public:
  PresetFiles() : home_(home()) {}

  const models::Node* find(std::string_view kind, std::string_view name) const override {
    const std::optional<std::string_view> folder = folder_of(kind);
    if (!folder || !is_name(name)) return nullptr;
    const std::string file = std::string(*folder) + "/" + std::string(name) + ".yaml";
    if (const auto known = read_.find(file); known != read_.end()) return &known->second;
    std::error_code failure;
    if (!fs::is_regular_file(root() / file, failure)) return nullptr;
    // Places name the file from the data folder on: messages do not depend on where it lies.
    return &read_.emplace(file, parse_yaml(read_text((root() / file).string()), file)).first->second;
  }

  std::vector<std::string> names(std::string_view kind) const override {
    std::vector<std::string> all;
    const std::optional<std::string_view> folder = folder_of(kind);
    if (!folder) return all;
    std::error_code failure;
    for (fs::directory_iterator file(root() / *folder, failure), end; !failure && file != end; file.increment(failure))
      if (file->path().extension() == ".yaml" && is_name(file->path().stem().string()))
        all.push_back(file->path().stem().string());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  const fs::path& root() const {
    if (!home_)
      throw models::Error({}, "the data folders (models/, topologies/) are not found beside the program",
                          "set WINDTUNNEL_HOME to the folder that holds them");
    return *home_;
  }

  std::optional<fs::path> home_;
  mutable std::map<std::string, models::Node> read_;  // nodes stay where they are
};

}  // namespace

const models::Presets& presets() {
  static const PresetFiles files;
  return files;
}

}  // namespace scenarios
