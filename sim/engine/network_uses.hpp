#pragma once
// How often each collective was played by which algorithm on which backend, in order of first use.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/result/result.hpp"

namespace sim {

class NetworkUses {
 public:
  // algorithm and backend have static storage.
  void count(std::string_view name, std::string_view algorithm, std::string_view backend) {
    for (Use& use : uses_)
      if (use.name == name && use.algorithm == algorithm && use.backend == backend) {
        ++use.plays;
        return;
      }
    uses_.push_back({std::string(name), algorithm, backend, 1});
  }

  // Shares of the plays of each name.
  std::vector<NetworkUse> report() const {
    std::map<std::string_view, std::int64_t> totals;
    for (const Use& use : uses_) totals[use.name] += use.plays;
    std::vector<NetworkUse> all;
    for (const Use& use : uses_)
      all.push_back({use.name, std::string(use.algorithm), std::string(use.backend),
                     static_cast<double>(use.plays) / static_cast<double>(totals[use.name])});
    return all;
  }

 private:
  struct Use {
    std::string name;
    std::string_view algorithm, backend;
    std::int64_t plays = 0;
  };
  std::vector<Use> uses_;
};

}  // namespace sim
