#pragma once
// The machine that simulates.

#include "models/base/units.hpp"

namespace scenarios {

// Memory that new processes can take without swapping: the kernel's estimate, or less where a control group has a
// limit.
models::Bytes available_memory();

}  // namespace scenarios
