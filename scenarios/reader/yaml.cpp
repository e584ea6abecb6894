#include "scenarios/reader/yaml.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "scenarios/reader/characters.hpp"

namespace scenarios {
namespace {

using models::Entry;
using models::Error;
using models::Node;
using models::NodeKind;
using models::Place;

// Every value keeps its line: one long line with many values would be kept many times.
constexpr std::size_t longest_excerpt = 500;  // bytes

// Builds the tree from yaml-cpp's events, which never recurse deeper than we let them.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, const std::vector<std::string_view>& lines) : file_(file), lines_(lines) {}

  Place place(const YAML::Mark& mark) const {
    Place place{file_, mark.line + 1, mark.column + 1, {}};
    if (mark.line >= 0 && static_cast<std::size_t>(mark.line) < lines_.size()) {
      const std::string_view line = lines_[static_cast<std::size_t>(mark.line)];
      if (line.size() <= longest_excerpt) place.excerpt = std::string(line);
      place.column =
          static_cast<int>(character_count(line.substr(0, static_cast<std::size_t>(std::max(mark.column, 0))))) + 1;
    }
    return place;
  }
  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      throw Error(place(mark), "a second YAML document begins here",
                  "a scenario is one document: remove the '---' line and what follows, or indent consistently");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(made(mark, NodeKind::null), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    Node node = made(mark, NodeKind::scalar);
    node.text = value;
    node.quoted = tag == "!";
    if (node.quoted) check_quote(mark);
    leaf(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end())
      throw Error(place(mark), "this alias stands inside the value it refers to", "a scenario cannot contain itself");
    const Anchored& target = found->second;
    if (target.alias_depth + 1 > deepest_alias)
      throw Error(place(mark), fmt::format("aliases are nested more than {} deep", deepest_alias),
                  "write the value out instead of '*'");
    if (!open_.empty()) open_.back().alias_depth = std::max(open_.back().alias_depth, target.alias_depth + 1);
    if (static_cast<int>(open_.size()) + target.height > deepest_nesting) too_deep(mark);
    grow(mark, target.nodes);
    attach(target.node, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, NodeKind::sequence);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, NodeKind::mapping);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::optional<Entry> key;          // read, its value not yet
    std::map<std::string, int> lines;  // of a mapping's keys
    std::size_t first_node = 0;
    int alias_depth = 0, height = 1;
    YAML::Mark mark;
  };
  struct Anchored {
    Node node;
    std::size_t nodes = 0;
    int alias_depth = 0, height = 0;
  };

  Node made(const YAML::Mark& mark, NodeKind kind) {
    grow(mark, 1);
    Node node;
    node.kind = kind;
    node.place = place(mark);
    return node;
  }
  void grow(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > most_nodes)
      throw Error(place(mark),
                  fmt::format("the file holds more than {} values, aliases counted as what they stand for", most_nodes),
                  "a scenario is small: generate points with 'sweep'");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    constexpr std::string_view standard = "tag:yaml.org,2002:";
    const std::string written = tag.rfind(standard, 0) == 0 ? "!!" + tag.substr(standard.size()) : tag;
    throw Error(place(mark), fmt::format("the YAML tag '{}' is not allowed", written), "write the plain value");
  }
  [[noreturn]] void too_deep(const YAML::Mark& mark) const {
    throw Error(place(mark), fmt::format("values are nested more than {} deep", deepest_nesting),
                "no scenario key lies that deep");
  }
  // yaml-cpp takes the end of the file for the end of an open quote.
  void check_quote(const YAML::Mark& mark) const {
    std::size_t line = static_cast<std::size_t>(mark.line), column = static_cast<std::size_t>(mark.column);
    if (line >= lines_.size() || column >= lines_[line].size()) return;
    const char quote = lines_[line][column];
    if (quote != '"' && quote != '\'') return;
    for (++column; line < lines_.size(); ++line, column = 0) {
      const std::string_view text = lines_[line];
      for (; column < text.size(); ++column) {
        if (quote == '"' && text[column] == '\\')
          ++column;
        else if (text[column] == quote && quote == '\'' && column + 1 < text.size() && text[column + 1] == quote)
          ++column;
        else if (text[column] == quote)
          return;
      }
    }
    throw Error(place(mark), "the quote that opens here is never closed");
  }
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, NodeKind kind) {
    refuse_tag(mark, tag);
    if (static_cast<int>(open_.size()) >= deepest_nesting) too_deep(mark);
    if (awaits_key()) {
      // yaml-cpp tells of a bracket that never closes as of a key within itself.
      const YAML::Mark& around = open_.back().mark;
      if (around.line == mark.line && around.column == mark.column)
        throw Error(place(mark), "a bracket opens here that is never closed");
      refuse_key(mark);
    }
    Open opened;
    opened.first_node = nodes_;
    opened.node = made(mark, kind);
    opened.anchor = anchor;
    opened.mark = mark;
    open_.push_back(std::move(opened));
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor) {
      const std::size_t nodes = nodes_ - done.first_node;
      anchored_[done.anchor] = {done.node, nodes, done.alias_depth, done.height};
      grow(done.mark, nodes);  // the copy kept for aliases
    }
    if (!open_.empty()) {
      open_.back().alias_depth = std::max(open_.back().alias_depth, done.alias_depth);
      open_.back().height = std::max(open_.back().height, done.height + 1);
    }
    attach(std::move(done.node), done.mark);
  }
  void leaf(Node node, YAML::anchor_t anchor) {
    YAML::Mark mark;
    mark.line = node.place.line - 1;
    if (anchor) anchored_[anchor] = {node, 1, 0, 0};
    if (awaits_key() && node.kind == NodeKind::null) throw Error(node.place, "a key is empty", "write 'key: value'");
    attach(std::move(node), mark);
  }
  bool awaits_key() const { return !open_.empty() && open_.back().node.kind == NodeKind::mapping && !open_.back().key; }
  [[noreturn]] void refuse_key(const YAML::Mark& mark) const {
    throw Error(place(mark), "a key must be a name, not a list or a mapping");
  }

  void attach(Node node, const YAML::Mark& mark) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == NodeKind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      if (node.kind != NodeKind::scalar) refuse_key(mark);
      add_key(parent, node);
    } else {
      parent.key->value = std::move(node);
      parent.node.entries.push_back(std::move(*parent.key));
      parent.key.reset();
    }
  }
  static void add_key(Open& parent, const Node& key) {
    if (key.text == "<<")
      throw Error(key.place, "merge keys ('<<') are not part of the scenario language",
                  "use 'variants', or an alias for a whole value");
    const auto [first, added] = parent.lines.emplace(key.text, key.place.line);
    if (!added)
      throw Error(key.place, fmt::format("key '{}' is given twice", key.text),
                  fmt::format("first given in line {}", first->second));
    Entry entry;
    entry.key = key.text;
    entry.place = key.place;
    parent.key = std::move(entry);
  }

  const std::string& file_;
  const std::vector<std::string_view>& lines_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchored_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

// yaml-cpp's words, where a better explanation is known.
struct Translation {
  std::string_view theirs, message, hint;
};
constexpr Translation translations[] = {
    {"illegal map value", "a ':' stands where no value may begin",
     "quote text that holds ': ', and indent the keys of one mapping equally"},
    {"end of map not found", "this line fits neither its mapping nor the one around it",
     "indent the keys of one mapping equally, with spaces"},
    {"end of map flow not found", "a '{' is never closed", "every '{' needs its '}'"},
    {"end of sequence flow not found", "a '[' is never closed", "every '[' needs its ']'"},
    {"end of sequence not found", "this line fits neither its list nor the mapping around it",
     "indent the '-' of one list equally, with spaces"},
    {"illegal flow end", "a bracket closes here that was never opened", ""},
    {"illegal block entry", "a list item ('- ') cannot begin here", "start the list on its own line, or write [a, b]"},
    {"unknown token", "this character cannot begin a value", "quote the value"},
    {"the referenced anchor is not defined", "this alias ('*') refers to no anchor ('&')", ""},
};

[[noreturn]] void rethrow(const YAML::Exception& failure, const TreeBuilder& builder) {
  const Place place = builder.place(failure.mark);
  const std::string indentation = place.excerpt.substr(0, place.excerpt.find_first_not_of(" \t"));
  if (indentation.find('\t') != std::string::npos)
    throw Error(place, "a tab stands where indentation belongs", "indent with spaces");
  for (const Translation& known : translations)
    if (failure.msg == known.theirs) throw Error(place, std::string(known.message), std::string(known.hint));
  throw Error(place, fmt::format("not legal YAML: {}", failure.msg));
}

void set_places(Node& node, const Place& place) {
  node.place = place;
  for (Node& item : node.items) set_places(item, place);
  for (Entry& entry : node.entries) {
    entry.place = place;
    set_places(entry.value, place);
  }
}

}  // namespace

Node parse_yaml(const std::string& text, const std::string& file) {
  const std::vector<std::string_view> lines = checked_lines(text, file, longest_line);
  TreeBuilder builder(file, lines);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& failure) {
    rethrow(failure, builder);
  }
  return builder.take();
}

Node parse_value(const std::string& text, const std::string& whole) {
  const Place place{whole, 0, 0, {}};
  Node node;
  try {
    node = parse_yaml(text, whole);
  } catch (const Error& error) {
    throw Error(place, error.diagnostics().front().message, error.diagnostics().front().hint);
  }
  set_places(node, place);
  return node;
}

std::string flow_text(const Node& node) {
  std::string text;
  switch (node.kind) {
    case NodeKind::null:
      return "~";
    case NodeKind::scalar:
      return node.quoted ? fmt::format("\"{}\"", node.text) : node.text;
    case NodeKind::sequence:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + flow_text(item);
      return "[" + text + "]";
    case NodeKind::mapping:
      for (const Entry& entry : node.entries)
        text += (text.empty() ? "" : ", ") + entry.key + ": " + flow_text(entry.value);
      return "{" + text + "}";
  }
  return text;
}

}  // namespace scenarios
