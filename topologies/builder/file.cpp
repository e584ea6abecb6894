// An explicit graph: hosts grouped into nodes, switches, cables. Routes are shortest paths.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

namespace {

struct Cable {
  int a = 0, b = 0;
  std::size_t link = 0;
};  // vertices: hosts first, then switches
struct Graph {
  std::vector<std::string> hosts, switches;
  std::vector<int> node;
  std::vector<Cable> cables;
  Forwarding forwarding = Forwarding::switches_only;
  Spread spread;
  std::string faster, slower;
  std::map<std::string, int> vertex;  // while reading
};

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  std::string word;
  for (const char c : text + ' ') {
    if (c != ' ' && c != ',' && c != '\n' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      all.push_back(std::exchange(word, {}));
    }
  }
  return all;
}

std::optional<int> whole_number(const std::string& text) {
  constexpr std::size_t most_digits = 7;
  if (text.empty() || text.size() > most_digits || text.find_first_not_of("0123456789") != std::string::npos) return {};
  return std::stoi(text);
}

// "gpu[0-3]" is gpu0 gpu1 gpu2 gpu3; nothing: badly written.
std::optional<std::vector<std::string>> expanded(const std::string& word) {
  const std::size_t open = word.find('['), dash = word.find('-', open), close = word.find(']', open);
  if (open == std::string::npos) return std::vector<std::string>{word};
  if (dash == std::string::npos || close == std::string::npos || dash > close) return {};
  const auto low = whole_number(word.substr(open + 1, dash - open - 1)),
             high = whole_number(word.substr(dash + 1, close - dash - 1));
  if (!low || !high || *low > *high) return {};
  std::vector<std::string> all;
  for (int i = *low; i <= *high; ++i) all.push_back(word.substr(0, open) + std::to_string(i) + word.substr(close + 1));
  return all;
}

std::vector<std::string> expanded_words(models::Params& params, std::string_view key, const std::string& text) {
  std::vector<std::string> all;
  for (const std::string& word : words(text)) {
    const auto names = expanded(word);
    if (!names) params.report(key, "'" + word + "' is not a name or a range of names", "write gpu0 or gpu[0-7]");
    if (names) all.insert(all.end(), names->begin(), names->end());
  }
  return all;
}

void declare(Graph& graph, models::Params& params, std::string_view key, const std::string& name) {
  if (!graph.vertex.emplace(name, static_cast<int>(graph.vertex.size())).second)
    params.report(key, "'" + name + "' stands twice in the graph");
}

std::optional<std::vector<int>> vertices(const Graph& graph, models::Params& params, const std::string& word) {
  const auto names = expanded(word);
  if (!names)
    return params.report("between", "'" + word + "' is not a name or a range of names", "write gpu0 or gpu[0-7]"),
           std::nullopt;
  std::vector<int> all;
  for (const std::string& name : *names) {
    const auto found = graph.vertex.find(name);
    if (found == graph.vertex.end())
      return params.report("between", "'" + name + "' is neither a host nor a switch of the graph"), std::nullopt;
    all.push_back(found->second);
  }
  return all;
}

// "a--b", "gpu[0-3]--switch" (each), "gpu[0-3]--nic[0-3]" (pairwise).
void join(Graph& graph, models::Params& params, const std::string& pair, std::size_t link) {
  const std::size_t bar = pair.find("--");
  if (bar == std::string::npos)
    return params.report("between", "'" + pair + "' is not a pair",
                         "write a--b, gpu[0-3]--switch or gpu[0-3]--nic[0-3]");
  const auto from = vertices(graph, params, pair.substr(0, bar)), to = vertices(graph, params, pair.substr(bar + 2));
  if (!from || !to) return;
  if (from->size() != to->size() && from->size() != 1 && to->size() != 1)
    return params.report("between", "'" + pair + "' joins ranges of different length",
                         "ranges of equal length are joined pairwise");
  for (std::size_t i = 0; i < std::max(from->size(), to->size()); ++i) {
    const int a = from->size() == 1 ? from->front() : (*from)[i], b = to->size() == 1 ? to->front() : (*to)[i];
    if (a == b) return params.report("between", "'" + pair + "' joins a vertex with itself");
    graph.cables.push_back({a, b, link});
  }
}

void read_graph(Graph& graph, models::Params& params, std::vector<LinkWish>& links) {
  params.text("description", "what the graph shows", "");
  params.text("source", "where it comes from", "");
  graph.faster = params.text("faster_than_real", "what the graph leaves out that costs time in the real network", "");
  graph.slower = params.text("slower_than_real", "what the graph leaves out that saves time in the real network", "");
  int node = 0;
  for (models::Params& entry : params.list("nodes", "the nodes, in order; each {hosts: \"gpu[0-7]\"}")) {
    for (const std::string& name :
         expanded_words(entry, "hosts", entry.text("hosts", "names of the node's hosts, ranges as gpu[0-7]"))) {
      declare(graph, entry, "hosts", name);
      graph.hosts.push_back(name);
      graph.node.push_back(node);
    }
    ++node;
  }
  for (const std::string& name :
       expanded_words(params, "switches", params.text("switches", "names of the switches, ranges as tor[0-3]", ""))) {
    declare(graph, params, "switches", name);
    graph.switches.push_back(name);
  }
  graph.forwarding = params.flag("hosts_forward", "whether routes may pass through hosts", false)
                         ? Forwarding::hosts_too
                         : Forwarding::switches_only;
  for (models::Params& entry : params.list("cables", "the cables, each {between: \"a--b c--d\", link: ...}")) {
    const std::string between =
        entry.text("between", "pairs joined: a--b, gpu[0-3]--switch (each), gpu[0-3]--nic[0-3] (pairwise)");
    links.push_back(read_link(entry, "link", "the link of these cables"));
    for (const std::string& pair : words(between)) join(graph, entry, pair, links.size() - 1);
  }
  if (graph.hosts.empty() && !params.describing())
    params.report("nodes", "the graph has no hosts", "write nodes: [{hosts: \"gpu[0-7]\"}]");
}

Blueprint laid_out(const Graph& graph, std::span<const LinkProperties> links) {
  Blueprint made;
  made.node = graph.node;
  std::vector<VertexId> vertex;
  for (const std::string& name : graph.hosts) vertex.push_back(made.fabric.add_host(name));
  for (const std::string& name : graph.switches) vertex.push_back(made.fabric.add_switch(name));
  for (const LinkProperties& link : links) made.fabric.add_properties(link);
  for (const Cable& cable : graph.cables)
    made.fabric.connect(vertex[static_cast<std::size_t>(cable.a)], vertex[static_cast<std::size_t>(cable.b)],
                        static_cast<std::int32_t>(cable.link));
  made.fabric.set_forwarding(graph.forwarding);
  made.fabric.set_spread(graph.spread);
  return made;
}

std::string key_of(const Graph& graph) {
  std::string key = "file";
  for (std::size_t i = 0; i < graph.hosts.size(); ++i)
    key += ' ' + graph.hosts[i] + '@' + std::to_string(graph.node[i]);
  for (const std::string& name : graph.switches) key += ' ' + name;
  for (const Cable& cable : graph.cables)
    key += ' ' + std::to_string(cable.a) + '-' + std::to_string(cable.b) + ':' + std::to_string(cable.link);
  return key + (graph.forwarding == Forwarding::hosts_too ? " forwarding" : "") + graph.spread.key();
}

}  // namespace

BuilderSpec read_file(models::Params& params) {
  models::Params body = params.preset("graph", "topology",
                                      "a graph of topologies/, its mapping (nodes, switches, cables), or a file to "
                                      "import: NCCL or SimGrid XML, ASTRA-sim "
                                      "YAML");
  const auto graph = std::make_shared<Graph>();
  BuilderSpec spec;
  read_graph(*graph, body, spec.links);
  graph->spread = read_routing(params);
  graph->vertex.clear();
  spec.hosts = static_cast<int>(graph->hosts.size());
  spec.nodes = node_count(graph->node);
  spec.description =
      body.preset_name().empty() ? "graph of " + std::to_string(spec.hosts) + " hosts" : body.preset_name();
  spec.key = key_of(*graph);
  if (!graph->faster.empty()) spec.not_modelled.push_back({"the graph leaves out: " + graph->faster, "optimistic"});
  if (!graph->slower.empty()) spec.not_modelled.push_back({"the graph leaves out: " + graph->slower, "pessimistic"});
  spec.build = [graph = std::shared_ptr<const Graph>(graph)](std::span<const LinkProperties> links) {
    return laid_out(*graph, links);
  };
  return spec;
}

}  // namespace topologies
