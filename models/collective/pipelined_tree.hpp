#pragma once
// Trees over a group's members, and the chunks of a vector on their way through them.

#include <cstdint>
#include <memory>
#include <vector>

#include "models/collective/strands.hpp"

namespace models {

struct TreeEdge {
  int child = 0, parent = 0;  // group indices
};
// level[d]: the edges whose children are d + 1 edges away from the root.
using TreeLevels = std::vector<std::vector<TreeEdge>>;

// Of `parent` by member, -1 for the root. Throws Bug for a cycle. O(members).
TreeLevels levels_of(const std::vector<int>& parent);

// Chunks of `part`, cut as slice() does; no chunk is empty unless the part is.
struct Chunks {
  ElementRange part;
  std::int64_t count = 1;
};
Chunks chunks_of(ElementRange part, std::int64_t count);

// Chunk c leaves the deepest level in round begin + c and moves one level a round: towards the root and added there
// (the root has it after levels - 1 rounds more), or away from it.
void add_reduction(const std::shared_ptr<const TreeLevels>& tree, const Chunks& chunks, std::int64_t begin,
                   std::vector<Strand>& strands);
void add_broadcast(const std::shared_ptr<const TreeLevels>& tree, const Chunks& chunks, std::int64_t begin,
                   std::vector<Strand>& strands);
// For all_reduce, reduce and broadcast; all_reduce begins to hand a chunk down when it has come up. chunks + levels - 1
// rounds, all_reduce chunks + 2 levels - 1.
void add_tree(CollectiveKind kind, const std::shared_ptr<const TreeLevels>& tree, const Chunks& chunks,
              std::vector<Strand>& strands);

inline constexpr double most_chunks = 65'536.0;  // more would be smaller than a packet in any buffer of today's GPUs

}  // namespace models
