#include "scenarios/reader/graph_writer.hpp"

#include <fmt/format.h>

namespace scenarios {

using models::Node;
using models::NodeKind;
using models::Place;

namespace {

void add(Node& mapping, std::string key, Node value, const Place& place) {
  mapping.entries.push_back({std::move(key), place, std::move(value)});
}

Node empty(NodeKind kind, const Place& place) {
  Node node;
  node.kind = kind;
  node.place = place;
  return node;
}

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, " ")); }

}  // namespace

Node text_node(std::string text, const Place& place) {
  Node node = empty(NodeKind::scalar, place);
  node.text = std::move(text);
  return node;
}

Node mapping_node(const std::vector<std::pair<std::string, std::string>>& entries, const Place& place) {
  Node node = empty(NodeKind::mapping, place);
  for (const auto& [key, text] : entries) add(node, key, text_node(text, place), place);
  return node;
}

GraphWriter::GraphWriter(std::string description, Place place)
    : description_(std::move(description)), place_(std::move(place)) {}

void GraphWriter::join(const std::string& a, const std::string& b, Node link, const Place& place) {
  cables_.push_back({a + "--" + b, std::move(link), place});
}

Node GraphWriter::graph() const {
  Node graph = empty(NodeKind::mapping, place_);
  add(graph, "description", text_node(description_, place_), place_);
  Node nodes = empty(NodeKind::sequence, place_);
  for (const std::vector<std::string>& hosts : nodes_)
    if (!hosts.empty()) nodes.items.push_back(mapping_node({{"hosts", joined(hosts)}}, place_));
  add(graph, "nodes", std::move(nodes), place_);
  add(graph, "switches", text_node(joined(switches_), place_), place_);
  if (hosts_forward_) add(graph, "hosts_forward", text_node("true", place_), place_);
  for (const auto& [key, effects] : {std::pair("faster_than_real", &faster_), std::pair("slower_than_real", &slower_)})
    if (!effects->empty()) add(graph, key, text_node(fmt::format("{}", fmt::join(*effects, "; ")), place_), place_);
  Node cables = empty(NodeKind::sequence, place_);
  for (const Cable& cable : cables_) {
    Node entry = mapping_node({{"between", cable.between}}, cable.place);
    add(entry, "link", cable.link, cable.place);
    cables.items.push_back(std::move(entry));
  }
  add(graph, "cables", std::move(cables), place_);
  return graph;
}

}  // namespace scenarios
