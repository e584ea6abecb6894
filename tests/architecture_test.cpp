// The rings, held by reading every #include; and every plug-in file has its row.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> rings{"models", "topologies", "sim", "analysis", "scenarios"};

std::optional<std::size_t> ring_of(std::string_view path) {
  const std::string_view folder = path.substr(0, path.find('/'));
  const auto found = std::find(rings.begin(), rings.end(), folder);
  if (found == rings.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rings.begin());
}

struct Library {
  std::vector<std::string_view> headers;  // an include that starts with one of these
  std::vector<std::string_view> allowed;  // in files whose path starts with one of these
};
const std::vector<Library>& libraries() {
  static const std::vector<Library> all{
      {{"simgrid/", "simgrid.h", "xbt/", "src/kernel/", "src/surf/"}, {"sim/engine/"}},
      {{"yaml-cpp/", "yaml.h"}, {"scenarios/reader/yaml.cpp"}},
      {{"pugixml.hpp"}, {"scenarios/reader/xml.cpp"}},
      {{"boost/graph/"}, {"topologies/fabric/figures.cpp"}},
      {{"boost/mpi"}, {"scenarios/"}},
      {{"nlohmann/"}, {"analysis/", "scenarios/"}},
      {{"sqlite3.h"}, {"analysis/"}},
      {{"CLI/"}, {"scenarios/app/"}},
      {{"Eigen/"}, {"models/", "topologies/fabric/figures.cpp"}},
      {{"Random123/", "hwy/", "tbb/", "oneapi/tbb"}, {"models/"}},
      {{"catch2/", "rapidcheck", "benchmark/"}, {}},
      {{"fstream", "filesystem"}, {"sim/", "analysis/", "scenarios/"}},  // models and topologies open no file
      {{"random"}, {}},                                                  // <random> differs between libraries
      {{"format", "expected", "ranges", "source_location"}, {}},         // absent or broken in GCC 12 or Clang 14
  };
  return all;
}

bool starts_with_any(std::string_view text, const std::vector<std::string_view>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [text](std::string_view b) { return text.substr(0, b.size()) == b; });
}
bool names_header(std::string_view header, std::string_view listed) {
  const bool folder = listed.find('/') != std::string_view::npos || listed == "rapidcheck" || listed == "boost/mpi";
  return folder ? header.substr(0, listed.size()) == listed : header == listed;
}

// Why `file` (relative to the project) may not include `header`; nothing: it may.
std::optional<std::string> objection(const std::string& file, const std::string& header) {
  const auto from = ring_of(file), to = ring_of(header);
  if (!from) return std::nullopt;
  if (to && *to > *from) return file + " includes " + header + ": an arrow to the right";
  if (to && rings[*from] == "analysis" && rings[*to] == "sim" && header.rfind("sim/result/", 0) != 0)
    return file + " includes " + header + ": of sim/, analysis may include sim/result/ only";
  if (header.rfind("tests/", 0) == 0) return file + " includes " + header + ": a test";
  for (const Library& library : libraries())
    for (const std::string_view listed : library.headers)
      if (names_header(header, listed) && !starts_with_any(file, library.allowed))
        return file + " includes " + header + ": not allowed there";
  return std::nullopt;
}

std::optional<std::string> included(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || line[start] != '#') return std::nullopt;
  const std::size_t word = line.find("include", start);
  if (word == std::string_view::npos) return std::nullopt;
  const std::size_t open = line.find_first_of("<\"", word);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = line.find_first_of(">\"", open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(open + 1, close - open - 1));
}

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Sources that share a header or carry the folder's name are no plug-ins: collective.cpp, json_reader.cpp beside
// json.hpp, device/device.cpp.
bool is_helper(const std::string& stem, const std::string& folder, const std::vector<std::string>& file_names) {
  if (stem == folder) return true;
  return std::any_of(file_names.begin(), file_names.end(), [&stem](const std::string& name) {
    const fs::path other(name);
    return other.extension() == ".hpp" && (stem == other.stem() || stem.rfind(other.stem().string() + "_", 0) == 0);
  });
}

// Of a plug-in folder: plug-ins without a row in the table's text: {"NAME", ...}, or NAME_FOLDER where rows are values
// of their files.
std::vector<std::string> files_without_row(const std::string& folder, const std::vector<std::string>& file_names,
                                           const std::string& table) {
  std::string packed;
  for (const char c : table)
    if (c != ' ' && c != '\n' && c != '\t') packed += c;
  std::vector<std::string> without;
  for (const std::string& name : file_names) {
    if (name == "table.cpp" || fs::path(name).extension() != ".cpp") continue;
    const std::string stem = fs::path(name).stem().string();
    if (is_helper(stem, folder, file_names)) continue;
    if (packed.find("{\"" + stem + "\",") == std::string::npos && packed.find(stem + "_" + folder) == std::string::npos)
      without.push_back(name);
  }
  return without;
}

}  // namespace

TEST_CASE("every include follows the rings", "[architecture]") {
  const fs::path root = SOURCE_DIR;
  std::vector<std::string> objections;
  std::size_t seen = 0;
  for (const std::string_view ring : rings)
    for (const auto& entry : fs::recursive_directory_iterator(root / ring)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp") continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      std::istringstream lines(content(entry.path()));
      for (std::string line; std::getline(lines, line);)
        if (const auto header = included(line)) {
          ++seen;
          if (const auto why = objection(file, *header)) objections.push_back(*why);
        }
    }
  CHECK(seen > 200);  // the reader of includes works
  for (const std::string& why : objections) UNSCOPED_INFO(why);
  CHECK(objections.empty());
}

TEST_CASE("a wrong arrow or library is seen", "[architecture]") {
  const auto seen = [](const std::string& file, std::string_view line) {
    const auto header = included(line);
    REQUIRE(header);
    return objection(file, *header).has_value();
  };
  CHECK(seen("models/base/units.cpp", "#include \"sim/result/run.hpp\""));
  CHECK(seen("sim/program/plan.cpp", "  #  include \"analysis/report/report.hpp\""));
  CHECK(seen("analysis/report/json.cpp", "#include \"sim/engine/simulate.hpp\""));
  CHECK(seen("sim/program/plan.cpp", "#include <simgrid/s4u.hpp>"));
  CHECK(seen("scenarios/reader/scenario.cpp", "#include <yaml-cpp/yaml.h>"));
  CHECK(seen("topologies/builder/star.cpp", "#include <boost/graph/adjacency_list.hpp>"));
  CHECK(seen("models/base/random.hpp", "#include <random>"));
  CHECK(seen("models/device/roofline.cpp", "#include <fstream>"));
  CHECK(seen("models/base/pool.cpp", "#include <catch2/catch.hpp>"));
  CHECK_FALSE(seen("analysis/report/json.cpp", "#include \"sim/result/run.hpp\""));
  CHECK_FALSE(seen("sim/engine/core.cpp", "#include <simgrid/s4u.hpp>"));
  CHECK_FALSE(seen("scenarios/app/main.cpp", "#include \"sim/engine/simulate.hpp\""));
  CHECK_FALSE(seen("models/base/random.cpp", "#include <Random123/philox.h>"));
  CHECK_FALSE(seen("models/base/random.cpp", "#include \"models/base/random.hpp\""));
  CHECK_FALSE(included("// #include <random>"));
}

TEST_CASE("every plug-in file has a row named as the file", "[architecture]") {
  const fs::path root = SOURCE_DIR;
  std::vector<std::string> without;
  std::size_t tables = 0;
  for (const std::string_view ring : rings)
    for (const auto& entry : fs::recursive_directory_iterator(root / ring)) {
      if (entry.path().filename() != "table.cpp") continue;
      ++tables;
      std::vector<std::string> names;
      for (const auto& sibling : fs::directory_iterator(entry.path().parent_path()))
        names.push_back(sibling.path().filename().string());
      for (const std::string& name :
           files_without_row(entry.path().parent_path().filename().string(), names, content(entry.path())))
        without.push_back((fs::relative(entry.path().parent_path(), root) / name).generic_string());
    }
  CHECK(tables >= 5);
  for (const std::string& name : without) UNSCOPED_INFO(name << " has no row in table.cpp");
  CHECK(without.empty());
}

TEST_CASE("a plug-in file without a row is seen", "[architecture]") {
  const std::vector<std::string> names{"table.cpp",      "top_k.cpp",           "sign.cpp",
                                       "compressor.hpp", "compressor_sums.cpp", "compression.cpp"};
  const std::string table = "constexpr Row<T> rows[] = {\n  { \"top_k\", \"largest\", read_top_k},\n};";
  CHECK(files_without_row("compression", names, table) == std::vector<std::string>{"sign.cpp"});
  CHECK(files_without_row("compression", names, table + "{\"sign\", \"signs\", read_sign}").empty());
  CHECK(files_without_row("report", {"text.cpp"}, "rows{text_report}").empty());
  CHECK(files_without_row("report", {"text.cpp"}, "rows{json_report}").size() == 1);
}
