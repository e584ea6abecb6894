// Wall time, memory and events of one timing-only data-parallel step of BERT-Large (design section 8): 4,096 and 65,536
// GPUs, or the node counts given as arguments (8 GPUs each). Every size runs in its own process.

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "scenarios/reader/scenario.hpp"
#include "sim/engine/simulate.hpp"

namespace {

double wall_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_MiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void measure(const std::string& nodes) {
  const scenarios::Scenario scenario =
      scenarios::read(SOURCE_DIR "/tests/benchmarks/step.yaml", {{"cluster.topology.nodes=" + nodes}, {}, {}, {}});
  const scenarios::Point& point = scenario.points.front();
  const double begin = wall_s();
  const topologies::World world = topologies::build(point.cluster);
  const double built = wall_s();
  const sim::Program program = sim::plan(point.job, world, sim::OnOutOfMemory::refuse);
  const double planned = wall_s(), cpu_before = cpu_s();
  sim::Options options;
  options.fidelity = point.cluster.fidelity;
  const sim::Result result = sim::simulate(program, world, options);
  const double simulated = wall_s();
  std::printf(
      "%6d GPUs: world %.3f s, plan %.3f s, step %.3f s wall (%.3f s CPU); %.0f MiB; %lld events, %.3g events/s; step "
      "of %.4f s\n",
      world.fabric.host_count(), built - begin, planned - built, simulated - planned, cpu_s() - cpu_before, peak_MiB(),
      static_cast<long long>(result.events), static_cast<double>(result.events) / (simulated - planned),
      result.metric("step_time_s")->value.value_or(0.0));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> sizes(arguments + 1, arguments + count);
  if (sizes.empty()) sizes = {"512", "8192"};
  int failed = 0;
  for (const std::string& nodes : sizes) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        measure(nodes);
        _exit(0);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  return failed == 0 ? 0 : 1;
}
