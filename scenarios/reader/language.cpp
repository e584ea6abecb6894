#include "scenarios/reader/language.hpp"

#include <algorithm>
#include <string_view>

#include "models/base/params.hpp"
#include "scenarios/reader/overrides.hpp"
#include "scenarios/reader/readers.hpp"
#include "scenarios/reader/scenario.hpp"

namespace scenarios {
namespace {

// A declared path, `training.algorithm{adam}.learning_rate`, without the rows of its plug-ins.
std::string without_rows(std::string_view declared) {
  std::string text;
  bool in_row = false;
  for (const char c : declared) {
    if (c == '{') in_row = true;
    if (!in_row) text += c;
    if (c == '}') in_row = false;
  }
  return text;
}

// List items are declared as `key[]` and written as `key.0`.
std::string with_items(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& part : path) {
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos)
      text += "[]";
    else
      text += (text.empty() ? "" : ".") + part;
  }
  return text;
}

constexpr std::string_view preset_kinds[] = {"architecture", "device", "link", "topology"};

}  // namespace

std::string name_key(const std::vector<std::string>& path) {
  const std::string wanted = with_items(path);
  for (const models::Declaration& declaration : declarations()) {
    if (without_rows(declaration.path) != wanted) continue;
    if (declaration.type == "plug-in") return "name";
    for (const std::string_view kind : preset_kinds)
      if (declaration.type == kind) return "preset";
  }
  return {};
}

bool is_key(const std::vector<std::string>& path) {
  const std::vector<std::string> wanted = split_path(with_items(path));
  for (const models::Declaration& declaration : declarations()) {
    const std::vector<std::string> declared = split_path(without_rows(declaration.path));
    if (declared.size() < wanted.size()) continue;
    const auto same = [](const std::string& a, const std::string& b) { return a == b || b == "<name>"; };
    if (std::equal(wanted.begin(), wanted.end(), declared.begin(), same)) return true;
  }
  return false;
}

namespace {

std::vector<models::Declaration> described() {
  std::vector<models::Declaration> all;
  models::Params top("", all, presets());
  read_header(top);
  models::Params cluster = top.section("cluster", cluster_help);
  topologies::read_cluster(cluster);
  models::Params training = top.section("training", training_help);
  read_training(training);
  models::Params collective = top.section("collective", collective_help);
  read_collective(collective);
  read_expected(top);
  return all;
}

}  // namespace

const std::vector<models::Declaration>& declarations() {
  static const std::vector<models::Declaration> all = described();
  return all;
}

}  // namespace scenarios
