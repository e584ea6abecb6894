#pragma once
// Paths: shortest paths over a fabric that has no rule of its own.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "topologies/fabric/spread.hpp"

namespace topologies {

class Fabric;

// Fewest links; among equally short ways the lowest link id, or the spread's choice at every vertex. One search per
// destination switch, kept as distances of the vertices that pass traffic on: hosts behind one cable share their
// switch's. A route costs its links times the cables of the vertices on it.
class Paths {
 public:
  // Appends the links between two vertices; false: no way.
  bool append(const Fabric& fabric, const Spread& spread, std::int32_t from_host, std::int32_t to_host,
              std::vector<std::int32_t>& links);

 private:
  struct Way {
    std::int32_t to, link;
  };
  using Distances = std::vector<std::int32_t>;  // by slot, or unreached

  void index(const Fabric& fabric);
  const Distances& distances(std::int32_t target);
  Distances searched(std::int32_t target) const;
  std::int32_t distance(const Distances& to_target, std::int32_t vertex, std::int32_t target) const;
  // The ways of a vertex, sorted by link id.
  const Way* begin(std::int32_t vertex) const { return ways_.data() + first_[static_cast<std::size_t>(vertex)]; }
  const Way* end(std::int32_t vertex) const { return ways_.data() + first_[static_cast<std::size_t>(vertex) + 1]; }

  std::vector<std::size_t> first_;  // by vertex, into ways_
  std::vector<Way> ways_;
  std::vector<std::int32_t> slot_;  // by vertex that passes traffic on, or -1
  std::size_t slots_ = 0;
  std::map<std::int32_t, Distances> known_;  // by target; emptied when it grows too large
};

}  // namespace topologies
