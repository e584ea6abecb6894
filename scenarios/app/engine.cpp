#include "scenarios/app/engine.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "models/base/error.hpp"

namespace scenarios {

sim::Simulator engine() {
  static const sim::Simulator opened = [] {
    void* const module = dlopen("windtunnel_engine.so", RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr)
      throw models::Error({}, fmt::format("the engine cannot be opened: {}", dlerror()),
                          "windtunnel_engine.so lies beside the program: build both again");
    const void* const symbol = dlsym(module, sim::simulator_symbol);
    models::ensure(symbol != nullptr, "the engine's module exports its simulator");
    return *static_cast<const sim::Simulator*>(symbol);
  }();
  return opened;
}

}  // namespace scenarios
