#pragma once
// Runs a body once on every Highway target that this CPU has and this build holds.

#include <hwy/highway.h>

#include <cstdint>

namespace support {

template <class Body>
void on_every_target(const Body& body) {
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body(hwy::TargetName(left & -left));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace support
