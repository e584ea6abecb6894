#include "sim/engine/collective_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/engine/machine.hpp"

namespace sim {
namespace {

class Sequence final : private PlayObserver, private EventSink {
 public:
  Sequence(const CollectiveProgram& program, Machine& machine)
      : program_(program), machine_(machine), group_(machine.player.add_group(program.group)) {
    series_.name = "collective";
    series_.columns = {"size_B",  "time_s",  "algorithm_bandwidth_Bps", "bus_bandwidth_Bps", "algorithm",
                       "backend", "protocol"};
    machine.player.set_library(program.job.library.protocol.value, program.job.library.channels);
    if (!program.job.sizes.empty()) machine.core.call_at({0.0}, *this);
  }
  Series& series() { return series_; }

 private:
  void due(std::uint64_t) override {
    const models::Bytes element = models::element_size(program_.job.data_type);
    models::CollectiveCall call;
    call.name = models::collective_kind_names[static_cast<std::size_t>(program_.job.kind)].data();
    call.kind = program_.job.kind;
    call.elements = demanded_elements(call.kind, program_.job.sizes[next_], element, program_.group.size());
    call.element_size = element;
    call.root = static_cast<int>(program_.job.root.value);
    call.algorithm = program_.job.algorithm.c_str();
    if (program_.job.made.schedule) call.made = &program_.job.made;
    if (!program_.pairs.empty()) {
      double shares = 0.0;
      for (const models::PairDemand& pair : program_.pairs) shares += static_cast<double>(pair.elements);
      shares /= static_cast<double>(pair_unit);
      call.pairs = program_.pairs;
      call.elements = std::max<std::int64_t>(1, std::llround(shares * (program_.job.sizes[next_] / element)));
    }
    machine_.player.play(group_, call, *this, next_);
  }

  void played(std::uint64_t tag, const Played& played) override {
    const double size = program_.job.sizes[tag].value, time = (played.end - played.begin).value;
    const std::optional<double> bandwidth = time > 0.0 ? std::optional(size / time) : std::nullopt;
    const std::size_t row = series_.rows.size();
    series_.rows.push_back(
        {size, time, bandwidth,
         bandwidth ? std::optional(*bandwidth * models::bus_factor(program_.job.kind, program_.group.size()))
                   : std::nullopt,
         std::nullopt, std::nullopt, std::nullopt});
    series_.texts[{row, 4}] = played.algorithm;
    series_.texts[{row, 5}] = played.backend;
    series_.texts[{row, 6}] = played.protocol.empty() ? "none" : played.protocol;
    if (++next_ < program_.job.sizes.size()) machine_.core.call_at(machine_.core.now(), *this);
  }

  const CollectiveProgram& program_;
  Machine& machine_;
  int group_;
  std::size_t next_ = 0;
  Series series_;
};

}  // namespace

std::int64_t demanded_elements(models::CollectiveKind kind, Bytes size, Bytes element_size, int ranks) {
  const std::int64_t elements = std::max<std::int64_t>(1, static_cast<std::int64_t>(size / element_size));
  const bool per_rank = kind == models::CollectiveKind::all_to_all || kind == models::CollectiveKind::send_recv;
  return per_rank ? elements * ranks : elements;
}

Result run_collectives(const CollectiveProgram& program, const topologies::World& world, const Options& options) {
  Machine machine(world, options.fidelity, options.seed);
  Sequence sequence(program, machine);
  RunLimits limits{options.limits.simulated, options.limits.wall_s, options.limits.interrupted, {}};
  if (options.progress) {
    limits.progress = [&](Seconds now, std::int64_t events) {
      options.progress({now.value, static_cast<std::int64_t>(sequence.series().rows.size()),
                        static_cast<std::int64_t>(program.job.sizes.size()), events});
    };
  }
  const RunOutcome outcome = machine.core.run(limits);
  Result result;
  add_outcome(result, machine, outcome);
  Series& series = sequence.series();
  if (!series.rows.empty()) {
    // Metrics are those of the last size, for tables with one line a run.
    const auto& last = series.rows.back();
    result.metrics = {{"size_B", last[0], Claim::value},
                      {"time_s", last[1], Claim::value},
                      {"algorithm_bandwidth_Bps", last[2], Claim::value},
                      {"bus_bandwidth_Bps", last[3], Claim::value}};
    const double bandwidth = slowest_nominal_bandwidth(world, program.group.size());
    const double factor = models::bus_factor(program.job.kind, program.group.size());
    result.naive = {{"time_s", *last[0] * factor / bandwidth, Claim::value},
                    {"bus_bandwidth_Bps", bandwidth, Claim::value}};
  }
  result.series.push_back(std::move(series));
  add_provenance(result, world, program.group.size());
  return result;
}

}  // namespace sim
