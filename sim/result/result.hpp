#pragma once
// Result: plain values of one simulation. No wall-clock figure enters it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim {

enum class Status { completed, diverged, deadlocked, time_limit, out_of_memory, interrupted, crashed };
inline constexpr const char* status_names[] = {"completed",     "diverged",    "deadlocked", "time_limit",
                                               "out_of_memory", "interrupted", "crashed"};
enum class Claim { value, ratio, order, illustration };
inline constexpr const char* claim_names[] = {"value", "ratio", "order", "illustration"};

struct Metric {
  std::string name;             // carries its unit: step_time_s
  std::optional<double> value;  // what did not happen is nothing, never 0
  Claim claim = Claim::value;
};

// Cells are numbers or nothing; a text cell (algorithm, backend) stands in `texts` by (row, column).
struct Series {
  std::string name;  // loss, steps, collective
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<double>>> rows;
  std::map<std::pair<std::size_t, std::size_t>, std::string> texts;
};

struct MemoryEntry {
  std::string ranks, category;
  double peak_B = 0.0;
};
// One directed link. utilization: bytes / (capacity x run time); bound_s: time in which all of its capacity was taken,
// so that it set the rate of flows; peak_flows: most transfers moving on it at once.
struct LinkUse {
  std::string link;
  double bytes_B = 0.0, busy_fraction = 0.0, utilization = 0.0;
  std::optional<double> bound_s{};  // nothing where SimGrid's flows were used: they do not tell
  std::int64_t peak_flows = 0;
};
// What one rank sent and received; of what it sent, sent + retransmitted = received by others + lost.
struct RankBytes {
  std::string ranks;  // "3", or "0-63" when all of them have the same
  double sent_B = 0.0, received_B = 0.0, lost_B = 0.0, retransmitted_B = 0.0;
};
struct ByteCounts {
  double sent_B = 0.0, received_B = 0.0, lost_B = 0.0, retransmitted_B = 0.0;
};
struct NetworkUse {
  std::string collective, algorithm, backend;
  double share = 0.0;
};
struct Constant {
  std::string name;
  double value = 0.0;
  std::string unit, fitted_on, source;
};
struct NotModelled {
  std::string effect, direction, size, source;
};
struct Plane {
  std::int64_t full_parameters = 0, numeric_parameters = 0;
  std::string scaling, axis;
};

// One interval on one lane of one rank, for the trace.
struct Span {
  std::int32_t rank = 0;
  std::int32_t lane = 0;
  const char* name = "";
  double begin_s = 0.0, end_s = 0.0;
};  // lanes: 0 compute, 1 communication

struct Result {
  Status status = Status::completed;
  std::string status_detail;
  std::optional<double> status_time_s;
  std::vector<Metric> metrics;  // in report order
  std::vector<Metric> naive;    // the same names by max(compute, bytes / bandwidth), for verify
  std::vector<Series> series;
  std::vector<MemoryEntry> memory;
  std::vector<LinkUse> links;        // the 100 busiest
  std::vector<LinkUse> bottlenecks;  // the ten that set the rate of flows for the longest time
  ByteCounts bytes;                  // skipped steps included
  std::vector<RankBytes> rank_bytes;  // of the simulated time
  std::vector<NetworkUse> network;
  std::int64_t events = 0, flows = 0;
  std::vector<Constant> constants;
  Plane plane;
  std::vector<std::string> warnings;
  std::vector<NotModelled> not_modelled;
  std::vector<Span> spans;  // only with tracing on

  const Metric* metric(const std::string& name) const {
    for (const Metric& m : metrics)
      if (m.name == name) return &m;
    return nullptr;
  }
};

}  // namespace sim
