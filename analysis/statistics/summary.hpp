#pragma once
// Runs that differ in their seed only, taken together; means and intervals of their metrics; how one variant stands
// against another.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/result/run.hpp"

namespace analysis {

// Linear interpolation between order statistics (numpy's default), share in [0, 1]; `sorted` ascending, not empty.
double percentile(std::span<const double> sorted, double share);

struct Spread {
  double mean = 0.0, low = 0.0, high = 0.0;
  std::size_t count = 0;
};

// The repeats of one point of one variant, in the order of the runs. Points into the runs it was made from.
struct Group {
  std::vector<const sim::Run*> runs;

  const std::string& variant() const { return runs.front()->variant; }
  const std::vector<sim::PointValue>& point() const { return runs.front()->point; }
};
std::vector<Group> grouped(std::span<const sim::Run> runs);
bool same_point(const std::vector<sim::PointValue>& a, const std::vector<sim::PointValue>& b);

// Over the runs of the group that have the metric; nothing when none has.
std::optional<Spread> spread(const Group& group, const std::string& metric);
// As above, but nothing when one run lacks it: a mean over only those who arrived would flatter.
std::optional<Spread> spread_of_all(const Group& group, const std::string& metric);
bool overlap(const Spread& a, const Spread& b);

// A variant against the first variant at the same point. total = per_step x steps, exactly: per_step compares the mean
// step on the way to the target.
struct SpeedUp {
  std::optional<double> per_step;  // base's step time / ours
  std::optional<double> steps;     // base's steps to target / ours
  std::optional<double> total;     // base's time to target / ours
  std::string winner;              // of time to target, else of step time; empty where intervals overlap
};
SpeedUp speed_up(const Group& base, const Group& ours);
// "4.1x to target = 5.0x per step (timing, mean to it) x 0.82 (steps, synthetic)"
std::string sentence(const SpeedUp& speed_up);

// Swept keys, each by the shortest tail of its path that tells it from the others.
std::vector<std::string> short_keys(const std::vector<sim::PointValue>& point);
// "10 Gb/s, 16 samples"; empty without a sweep.
std::string point_text(const std::vector<sim::PointValue>& point);
// Nothing: the swept value is a name.
std::optional<double> swept_number(const sim::PointValue& value);

}  // namespace analysis
