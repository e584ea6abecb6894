// The engine as a module; its one name is simulator_symbol.

#include "sim/engine/simulate.hpp"

extern "C" {
extern const sim::Simulator windtunnel_simulator;
const sim::Simulator windtunnel_simulator = sim::simulate;
}
