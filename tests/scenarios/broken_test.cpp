// Every broken scenario of tests/scenarios/broken with its whole message. A first line `# --set KEY=VALUE` holds an
// option.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/reader/scenario.hpp"

namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

scenarios::Overrides options_of(const std::string& text) {
  scenarios::Overrides options;
  const std::string line = text.substr(0, text.find('\n'));
  const auto argument = [&](const std::string& option) {
    return line.rfind("# " + option + " ", 0) == 0 ? line.substr(option.size() + 3) : std::string();
  };
  if (const std::string set = argument("--set"); !set.empty()) options.set.push_back(set);
  if (const std::string only = argument("--only"); !only.empty()) options.only.push_back(only);
  if (const std::string point = argument("--point"); !point.empty()) options.at.push_back(point);
  return options;
}

}  // namespace

TEST_CASE("every broken scenario gives its whole message", "[broken]") {
  fs::current_path(SOURCE_DIR "/tests/scenarios/broken");
  std::vector<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator("."))
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  REQUIRE(names.size() >= 30);
  for (const std::string& name : names) {
    INFO(name);
    std::string message = "no error\n";
    try {
      scenarios::read(name + ".yaml", options_of(content(name + ".yaml")));
    } catch (const models::Error& error) {
      message = std::string(error.what()) + "\n";
    }
    // WINDTUNNEL_ACCEPT=1 writes the messages, to be read before they are committed.
    if (std::getenv("WINDTUNNEL_ACCEPT")) std::ofstream(name + ".txt") << message;
    CHECK(message == content(name + ".txt"));
  }
}
