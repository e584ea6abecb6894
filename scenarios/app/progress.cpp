#include "scenarios/app/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "models/base/units.hpp"

namespace scenarios {

namespace {

constexpr auto bar_period = std::chrono::milliseconds(200);
constexpr auto line_period = std::chrono::seconds(10);
constexpr std::size_t bar_width = 20;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

ProgressLine::ProgressLine(std::vector<std::string> labels, Loudness loudness)
    : style_(loudness == Loudness::quiet  ? Style::none
             : isatty(STDERR_FILENO) != 0 ? Style::bar
                                          : Style::lines),
      begin_(std::chrono::steady_clock::now()),
      shown_(begin_) {
  for (std::string& label : labels) tasks_.push_back({std::move(label), false, false, {}});
}

ProgressLine::~ProgressLine() {
  if (style_ == Style::bar) std::fputs("\r\033[K", stderr);
}

void ProgressLine::started(std::size_t task) {
  tasks_[task].begun = true;
  latest_ = task;
}

void ProgressLine::progressed(std::size_t task, const sim::Progress& progress) {
  tasks_[task].progress = progress;
  latest_ = task;
}

void ProgressLine::ended(std::size_t task) { tasks_[task].over = true; }

void ProgressLine::tick() {
  if (style_ == Style::none) return;
  const auto now = std::chrono::steady_clock::now();
  if (style_ == Style::bar ? now - shown_ < bar_period : now - shown_ < line_period) return;
  shown_ = now;
  const std::string line = style_ == Style::bar ? "\r\033[K" + text() : text() + "\n";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

double ProgressLine::done() const {
  double sum = 0.0;
  for (const TaskState& task : tasks_) {
    if (task.over)
      sum += 1.0;
    else if (task.progress.steps > 0)
      sum += static_cast<double>(task.progress.step) / static_cast<double>(task.progress.steps);
  }
  return tasks_.empty() ? 1.0 : sum / static_cast<double>(tasks_.size());
}

std::string ProgressLine::text() const {
  const double share = done();
  const double elapsed = seconds_between(begin_, std::chrono::steady_clock::now());
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar_width));
  const auto over = std::count_if(tasks_.begin(), tasks_.end(), [](const TaskState& task) { return task.over; });
  std::int64_t events = 0;
  for (const TaskState& task : tasks_) events += task.progress.events;
  std::string line = fmt::format("[{:#<{}}{:.<{}}] {}/{}", "", filled, "", bar_width - filled, over, tasks_.size());
  const TaskState& task = tasks_[latest_];
  if (!task.label.empty()) line += "  " + task.label;
  if (task.begun && !task.over && task.progress.steps == 0 && task.progress.simulated_s == 0.0)
    line += "  preparing";  // a large cluster takes its time to be built and planned
  if (task.progress.steps > 0) line += fmt::format("  step {}/{}", task.progress.step, task.progress.steps);
  if (task.progress.simulated_s > 0.0)
    line += "  simulated " + models::text(models::Seconds{task.progress.simulated_s});
  if (events > 0 && elapsed > 0.0) line += fmt::format("  {:.3g} events/s", static_cast<double>(events) / elapsed);
  if (share > 0.02) line += fmt::format("  ETA {:.0f} s", elapsed * (1.0 - share) / share);
  return line;
}

}  // namespace scenarios
