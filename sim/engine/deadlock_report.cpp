#include <algorithm>
#include <utility>

#include "sim/engine/core.hpp"

namespace sim {
namespace {
constexpr std::size_t most_lines = 16;
}

std::string Core::waiting_report() const {
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.state == State::pending && slot.description.kind[0] != '\0' && (slot.waiter || slot.parent != no_slot))
      waiting.push_back(i);
  }
  std::stable_sort(waiting.begin(), waiting.end(), [this](std::uint32_t a, std::uint32_t b) {
    const Slot &x = slots_[a], &y = slots_[b];
    return std::pair(x.description.rank, x.since) < std::pair(y.description.rank, y.since);
  });
  std::string report = std::to_string(alive_) + " tasks wait and nothing is left to happen";
  for (std::size_t i = 0; i < std::min(waiting.size(), most_lines); ++i) {
    const Slot& slot = slots_[waiting[i]];
    const Description& what = slot.description;
    report += "\n  rank " + std::to_string(what.rank) + " waits since " + models::text(models::Seconds{slot.since}) +
              " in " + what.kind;
    if (what.name[0] != '\0') report += std::string(" '") + what.name + "'";
    if (what.bytes.value > 0.0) report += " (" + models::text(what.bytes) + ")";
    if (what.witness != nullptr) report += ": " + what.witness->detail(what.argument);
  }
  if (waiting.size() > most_lines)
    report += "\n  and " + std::to_string(waiting.size() - most_lines) + " more operations";
  return report;
}

}  // namespace sim
