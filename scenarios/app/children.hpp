#pragma once
// Work in child processes: a few at once, each forked before any simulation exists here, its answer through a pipe.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "sim/engine/simulate.hpp"

namespace scenarios {

using Tell = std::function<void(const sim::Progress&)>;

struct ChildTask {
  std::string label;                             // for progress: "onebit_adam, 10 Gb/s"
  std::function<std::string(const Tell&)> work;  // runs in the child; its answer
  std::ptrdiff_t after = -1;  // index of a task that must have ended well before this one is forked; -1: none
};

struct Ending {
  enum class Kind { answered, error, bug, died, not_started } kind = Kind::not_started;
  std::string text;                             // the answer, the broken invariant, or how the child died
  std::vector<models::Diagnostic> diagnostics;  // error
};

// Told what happens, in the calling process.
class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void started(std::size_t task) = 0;
  virtual void progressed(std::size_t task, const sim::Progress& progress) = 0;
  virtual void ended(std::size_t task, const Ending& ending) = 0;
  virtual void tick() = 0;  // several times a second
};

// One ending per task. After an interruption or an error the children are asked to stop and no task starts.
std::vector<Ending> run_in_children(const std::vector<ChildTask>& tasks, int jobs, Monitor& monitor);

}  // namespace scenarios
