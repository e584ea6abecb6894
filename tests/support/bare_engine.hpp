#pragma once
// A SimGrid engine with nothing on it: enough for what runs on our core alone. One per process.

#include <memory>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/NetZone.hpp>

namespace support {

inline std::unique_ptr<simgrid::s4u::Engine> bare_engine() {
  static char name[] = "test";
  static char* arguments[] = {name, nullptr};
  int count = 1;
  auto engine = std::make_unique<simgrid::s4u::Engine>(&count, arguments);
  simgrid::s4u::Engine::set_config("surf/precision:1e-12");
  simgrid::s4u::create_empty_zone("bare")->seal();
  return engine;
}

}  // namespace support
