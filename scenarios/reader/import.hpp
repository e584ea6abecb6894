#pragma once
// Graphs that others wrote: NCCL topology XML, SimGrid platform XML, ASTRA-sim network files (YAML), turned into the
// mapping that shape `file` reads: nodes, switches, cables.

#include <string>
#include <string_view>

#include "models/base/params.hpp"

namespace scenarios {

// Whether `graph: NAME` names a file to import: a path that ends in .xml, .yml or .json.
bool is_import(std::string_view name);

// Replaces every `graph: FILE` below `node` by the file's graph. A relative path counts from `folder`.
void import_graphs(models::Node& node, const std::string& folder, models::Diagnostics& diagnostics);

// The text of a file as a graph; Error with file:line.
models::Node graph_of_xml(const std::string& text, const std::string& file);
models::Node graph_of_astra(const models::Node& network, const std::string& file);

}  // namespace scenarios
