#pragma once
// How far a command is, on standard error: a bar on a terminal, a line now and then elsewhere, nothing when quiet.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/app/children.hpp"

namespace scenarios {

enum class Loudness { normal, quiet };

class ProgressLine {
 public:
  ProgressLine(std::vector<std::string> labels, Loudness loudness);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void started(std::size_t task);
  void progressed(std::size_t task, const sim::Progress& progress);
  void ended(std::size_t task);
  void tick();

 private:
  enum class Style { bar, lines, none };
  struct TaskState {
    std::string label;
    bool begun = false, over = false;
    sim::Progress progress;
  };
  double done() const;  // share, tasks counted alike
  std::string text() const;

  Style style_;
  std::vector<TaskState> tasks_;
  std::size_t latest_ = 0;  // the task last heard of
  std::chrono::steady_clock::time_point begin_, shown_;
};

}  // namespace scenarios
