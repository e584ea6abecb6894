#include "scenarios/app/machine.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace scenarios {

namespace {

using models::Bytes;

std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double number = 0.0;
  return file >> number ? std::optional(number) : std::nullopt;  // "max": no limit
}

std::optional<Bytes> left_by_kernel() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  for (double kibibytes = 0.0; file >> key >> kibibytes;) {
    if (key == "MemAvailable:") return Bytes{kibibytes * 1024.0};
    std::getline(file, key);
  }
  return std::nullopt;
}

// Control groups, version 2 and version 1, as a container sees its own.
std::optional<Bytes> left_by_group() {
  const std::string folder = "/sys/fs/cgroup/";
  for (const auto& [limit, usage] : {std::pair{"memory.max", "memory.current"},
                                     std::pair{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"}}) {
    const std::optional<double> most = number_in(folder + limit), used = number_in(folder + usage);
    if (most && used) return Bytes{std::max(0.0, *most - *used)};
  }
  return std::nullopt;
}

}  // namespace

Bytes available_memory() {
  Bytes least{std::numeric_limits<double>::infinity()};
  for (const std::optional<Bytes>& left : {left_by_kernel(), left_by_group()})
    if (left) least = std::min(least, *left);
  return least;
}

}  // namespace scenarios
