#pragma once
// GraphWriter: an imported graph as the mapping that shape `file` reads.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/params.hpp"

namespace scenarios {

models::Node text_node(std::string text, const models::Place& place);
// A mapping of texts.
models::Node mapping_node(const std::vector<std::pair<std::string, std::string>>& entries, const models::Place& place);

class GraphWriter {
 public:
  GraphWriter(std::string description, models::Place place);
  void start_node() { nodes_.emplace_back(); }
  void add_host(const std::string& name) { nodes_.back().push_back(name); }
  void add_switch(const std::string& name) { switches_.push_back(name); }
  void join(const std::string& a, const std::string& b, models::Node link, const models::Place& place);
  void let_hosts_forward() { hosts_forward_ = true; }
  // Makes the graph faster, or slower, than the real network.
  void leave_out_cost(std::string effect) { faster_.push_back(std::move(effect)); }
  void leave_out_gain(std::string effect) { slower_.push_back(std::move(effect)); }
  models::Node graph() const;

 private:
  struct Cable {
    std::string between;
    models::Node link;
    models::Place place;
  };
  std::string description_;
  models::Place place_;
  std::vector<std::vector<std::string>> nodes_;
  std::vector<std::string> switches_;
  std::vector<Cable> cables_;
  bool hosts_forward_ = false;
  std::vector<std::string> faster_, slower_;
};

}  // namespace scenarios
