#pragma once
// The engine, opened when something is simulated: SimGrid's libraries cost more start-up than all the rest.

#include "sim/engine/simulate.hpp"

namespace scenarios {

// Opens the module on first use, tens of milliseconds; to be called before a child is forked, so that children share
// it. Throws Error when the module beside the program is missing.
sim::Simulator engine();

}  // namespace scenarios
