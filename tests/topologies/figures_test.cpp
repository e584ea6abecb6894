// Figures of regular graphs against their closed forms.

#include "topologies/fabric/figures.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/topologies/shapes.hpp"

using namespace topologies;
using documents::list;
using documents::scalar;
using shapes::built;
using shapes::cable;

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double rate = 10e9;  // of every cable below

Figures of(std::vector<shapes::Pair> topology) { return figures(built(std::move(topology)).fabric); }

models::Node sizes(std::vector<int> all) {
  std::vector<models::Node> items;
  for (const int size : all) items.push_back(scalar(std::to_string(size)));
  return list(std::move(items));
}

void check_bisection(const Figures& all, double cables) {
  REQUIRE(all.bisection);
  CHECK(all.bisection->at_most.value == Approx(cables * rate).epsilon(1e-12));
  if (all.bisection->at_least) CHECK(all.bisection->at_least->value <= all.bisection->at_most.value * (1.0 + 1e-9));
}

}  // namespace

// Cables that part two halves: star n/2, ring 2, full (n/2)^2, torus 2 n / k of the longest side k (Dally and Towles,
// Principles and Practices of Interconnection Networks, 2004), hypercube n/2.
TEST_CASE("bisections of regular shapes are those of the books", "[topologies]") {
  check_bisection(of({{"shape", "star"}, {"nodes", 10}, {"link", cable()}}), 5.0);
  check_bisection(of({{"shape", "ring"}, {"nodes", 14}, {"link", cable()}}), 2.0);
  check_bisection(of({{"shape", "full"}, {"nodes", 8}, {"link", cable()}}), 16.0);
  check_bisection(of({{"shape", "torus"}, {"sizes", sizes({4, 8})}, {"link", cable()}}), 8.0);
  check_bisection(of({{"shape", "torus"}, {"sizes", sizes({4, 4, 4})}, {"link", cable()}}), 32.0);
  check_bisection(of({{"shape", "hypercube"}, {"dimensions", 5}, {"link", cable()}}), 16.0);
  CHECK(of({{"shape", "hypercube"}, {"dimensions", 5}, {"link", cable()}}).bisection->exact());  // lambda_2 = 2
  CHECK(of({{"shape", "full"}, {"nodes", 8}, {"link", cable()}}).bisection->exact());            // lambda_2 = n
  CHECK_FALSE(of({{"shape", "ring"}, {"nodes", 14}, {"link", cable()}}).bisection->exact());
}

// Full bisection is half the hosts' cables; r:1 leaves 1/r of it.
TEST_CASE("bisections of trees follow their oversubscription", "[topologies]") {
  check_bisection(of({{"shape", "fat_tree"}, {"ports", 4}, {"link", cable()}}), 8.0);
  check_bisection(of({{"shape", "fat_tree"}, {"ports", 8}, {"levels", 2}, {"oversubscription", 3}, {"link", cable()}}),
                  8.0);
  for (const auto& [ratio, cables] : {std::pair{1, 16.0}, std::pair{4, 4.0}})
    check_bisection(of({{"shape", "leaf_spine"},
                        {"nodes", 32},
                        {"leaves", 4},
                        {"spines", 4},
                        {"oversubscription", ratio},
                        {"inter_node", cable()}}),
                    cables);
  // Four NICs shared by two GPUs each: the hosts hang on them without a cable.
  check_bisection(of({{"shape", "star_of_nodes"},
                      {"nodes", 4},
                      {"gpus_per_node", 4},
                      {"nics_per_node", 2},
                      {"inter_node", cable()},
                      {"intra_node", cable("1000 GB/s")}}),
                  4.0);
}

// Two sites of 4 hosts joined by one long cable: no halving is cheaper.
TEST_CASE("the bisection of a WAN is its long link", "[topologies]") {
  check_bisection(
      of({{"shape", "wan"},
          {"inter_site", cable("10 GB/s", "10 ms")},
          {"sites", list({documents::mapping({{"shape", "full"}, {"nodes", 4}, {"copies", 2}, {"link", cable()}})})}}),
      1.0);
}

TEST_CASE("longest and average routes of regular shapes", "[topologies]") {
  const Figures ring = of({{"shape", "ring"}, {"nodes", 9}, {"link", cable()}});
  CHECK(ring.longest_route == 4);
  CHECK(ring.average_route == Approx((1 + 2 + 3 + 4) * 2 / 8.0));
  CHECK(ring.cables == 9);
  const Figures cube = of({{"shape", "hypercube"}, {"dimensions", 4}, {"link", cable()}});
  CHECK(cube.longest_route == 4);
  CHECK(cube.average_route == Approx(4.0 / 2.0 * 16.0 / 15.0));  // half the bits of a pair differ
  const Figures star = of({{"shape", "star"}, {"nodes", 6}, {"link", cable()}});
  CHECK(star.longest_route == 2);
  CHECK(star.switches == 1);
  const Figures torus = of({{"shape", "torus"}, {"sizes", sizes({16, 32})}, {"link", cable()}});
  CHECK_FALSE(torus.all_pairs);
  CHECK(torus.longest_route == 8 + 16);
  CHECK(torus.average_route == Approx(4.0 + 8.0).epsilon(0.01));
}

// W = (1 + A) / (degree + 1) on a regular graph. Eigenvalues of A: ring 2 cos(2 pi k/n), torus sums of them, full n - 1
// and -1, hypercube d - 2k, a circulant graph the sum of cos(2 pi s k/n) over its steps s.
TEST_CASE("spectral gaps of regular graphs are their closed forms", "[topologies]") {
  const auto gap = [](const Figures& all) { return *all.spectral_gap; };
  const double n = 12.0;
  CHECK(gap(of({{"shape", "ring"}, {"nodes", 12}, {"link", cable()}})) ==
        Approx(1.0 - (1.0 + 2.0 * std::cos(2.0 * pi / n)) / 3.0).epsilon(1e-9));
  CHECK(gap(of({{"shape", "full"}, {"nodes", 7}, {"link", cable()}})) == Approx(1.0).epsilon(1e-9));
  CHECK(gap(of({{"shape", "star"}, {"nodes", 7}, {"link", cable()}})) == 1.0);
  CHECK(gap(of({{"shape", "torus"}, {"sizes", sizes({4, 6})}, {"link", cable()}})) ==
        Approx(1.0 - (1.0 + 2.0 + 2.0 * std::cos(2.0 * pi / 6.0)) / 5.0).epsilon(1e-9));
  CHECK(gap(of({{"shape", "hypercube"}, {"dimensions", 5}, {"link", cable()}})) == Approx(2.0 / 6.0).epsilon(1e-9));
  double second = 0.0;
  const int hosts = 16;
  for (int k = 1; k < hosts; ++k) {
    double value = 1.0;  // steps 1, 2, 4 both ways and 8: degree 7
    for (const int step : {1, 2, 4}) value += 2.0 * std::cos(2.0 * pi * step * k / hosts);
    value += std::cos(2.0 * pi * 8 * k / hosts);
    second = std::max(second, std::abs(value / 8.0));
  }
  CHECK(gap(of({{"shape", "expander"}, {"kind", "exponential"}, {"nodes", hosts}, {"link", cable()}})) ==
        Approx(1.0 - second).epsilon(1e-9));
}

// Friedman 2008: the second eigenvalue of a random d-regular graph is near 2 sqrt(d - 1), far from a ring's.
TEST_CASE("a random regular graph is an expander", "[topologies]") {
  const Figures all = of({{"shape", "expander"}, {"nodes", 200}, {"degree", 4}, {"link", cable()}});
  CHECK(*all.spectral_gap > 1.0 - (1.0 + 2.0 * std::sqrt(3.0) + 0.25) / 5.0);
  CHECK(all.longest_route <= 9);  // 2 log_3 200
  CHECK(all.bisection->at_least->value <= all.bisection->at_most.value);
}

TEST_CASE("every shape has figures, and rows of its mixing matrix add up to 1", "[topologies]") {
  for (const auto& sample : shapes::samples()) {
    const Blueprint made = built(sample);
    const Figures all = figures(made.fabric);
    const int hosts = made.fabric.host_count();
    INFO(sample.front().value.text << " of " << hosts);
    CHECK(all.hosts == hosts);
    CHECK(all.bisection.has_value() == (hosts > 1));
    if (all.bisection) CHECK(all.bisection->at_most.value > 0.0);
    if (hosts > 1) CHECK(all.average_route <= static_cast<double>(all.longest_route));
    const std::vector<double> weights = mixing_matrix(made.fabric, all.host_graph);
    for (int i = 0; i < hosts; ++i) {
      double row = 0.0;
      for (int j = 0; j < hosts; ++j) {
        const auto at = [&](int a, int b) { return weights[static_cast<std::size_t>(a * hosts + b)]; };
        row += at(i, j);
        if (at(i, j) != at(j, i) || at(i, j) < -1e-12) FAIL("not symmetric, or negative");
      }
      if (std::abs(row - 1.0) > 1e-12) FAIL("a row does not add up to 1");
    }
  }
}
