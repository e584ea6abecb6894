#pragma once
// Figures: what a graph is worth, whatever runs on it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/fabric/fabric.hpp"

namespace topologies {

// Payload capacity between two halves of the hosts, one way, for the halving where it is least. Finding that halving is
// NP-hard: `at_most` is the smallest minimum cut of `halvings` tried, `at_least` the spectral bound, known for graphs
// without switches (lambda_2 a b / n for halves of a and b hosts: Mohar, The Laplacian spectrum of graphs, 1991).
struct Bisection {
  BytesPerSecond at_most{};
  std::optional<BytesPerSecond> at_least;
  int halvings = 0;
  bool exact() const;  // the two meet
};

// Two hosts are neighbours when a cable joins them; if some host has no such cable, all pairs are (over switches).
enum class HostGraph { cables, all_pairs };

struct Figures {
  int hosts = 0, switches = 0;
  std::int64_t cables = 0;
  std::int64_t longest_route = 0;  // links, as routed
  double average_route = 0.0;
  std::int64_t pairs = 0;  // that both were taken from
  bool all_pairs = true;
  std::optional<Bisection> bisection;  // nothing: the graph is too large, or has one host
  HostGraph host_graph = HostGraph::all_pairs;
  std::optional<double> spectral_gap;  // 1 - max(|lambda_2|, |lambda_n|) of the mixing matrix; nothing: too large
};
Figures figures(const Fabric& fabric);

// Metropolis-Hastings weights on the host graph, W_ij = 1 / (1 + max(degree_i, degree_j)) for neighbours (Xiao, Boyd
// and Kim, Distributed average consensus with least-mean-square deviation, JPDC 2007), row by row.
std::vector<double> mixing_matrix(const Fabric& fabric, HostGraph graph);

}  // namespace topologies
