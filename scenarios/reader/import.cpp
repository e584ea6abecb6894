#include "scenarios/reader/import.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "scenarios/reader/import_xml.hpp"
#include "scenarios/reader/yaml.hpp"

namespace scenarios {

namespace {

using models::Entry;
using models::Node;
using models::NodeKind;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

Node imported(const std::string& path) {
  const std::string text = read_text(path);
  return ends_with(path, ".xml") ? graph_of_xml(text, path) : graph_of_astra(parse_yaml(text, path), path);
}

}  // namespace

bool is_import(std::string_view name) {
  return ends_with(name, ".xml") || ends_with(name, ".yml") || ends_with(name, ".json");
}

Node graph_of_xml(const std::string& text, const std::string& file) {
  const XmlElement root = parse_xml(text, file);
  if (root.name == "system") return graph_of_nccl(root);
  if (root.name == "platform") return graph_of_simgrid(root);
  throw models::Error(root.place, fmt::format("<{}> is no topology", root.name),
                      root.name == "graphs"
                          ? "this is what NCCL searched (NCCL_GRAPH_DUMP_FILE): take its topology file"
                          : "known: NCCL's <system>, SimGrid's <platform>");
}

void import_graphs(Node& node, const std::string& folder, models::Diagnostics& diagnostics) {
  for (Node& item : node.items) import_graphs(item, folder, diagnostics);
  for (Entry& entry : node.entries) {
    const bool names_file = entry.key == "graph" && entry.value.kind == NodeKind::scalar && is_import(entry.value.text);
    if (!names_file) {
      import_graphs(entry.value, folder, diagnostics);
      continue;
    }
    try {
      const std::filesystem::path path(entry.value.text);
      entry.value = imported(path.is_absolute() ? path.string()
                                                : (std::filesystem::path(folder) / path).lexically_normal().string());
    } catch (const models::Error& error) {
      for (const models::Diagnostic& diagnostic : error.diagnostics()) diagnostics.add(diagnostic);
      Node nothing;  // the shape must not complain of an unknown preset as well
      entry.value = nothing;
    }
  }
}

}  // namespace scenarios
