#include "scenarios/app/run_each.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <thread>
#include <utility>
#include <variant>

#include "analysis/report/json.hpp"
#include "models/base/pool.hpp"
#include "scenarios/app/children.hpp"
#include "scenarios/app/engine.hpp"
#include "scenarios/app/interruption.hpp"
#include "scenarios/app/machine.hpp"
#include "scenarios/app/wire.hpp"
#include "sim/numeric/host_memory.hpp"

namespace scenarios {

namespace {

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

bool has_trajectory(const Point& point, sim::Numbers numbers) {
  const auto* job = std::get_if<sim::TrainingJob>(&point.job);
  return numbers == sim::Numbers::joined && job != nullptr && job->learning &&
         job->algorithm.value.trajectory_independent_of_time;
}

sim::Run run_of(const Point& point, sim::Result result) {
  sim::Run run;
  run.variant = point.variant;
  run.point = point.at;
  run.seed = point.seed;
  run.result = std::move(result);
  return run;
}

sim::Run unfinished(const Point& point, sim::Status status, std::string detail) {
  sim::Result result;
  result.status = status;
  result.status_detail = std::move(detail);
  return run_of(point, std::move(result));
}

// The tasks of a command and where their answers go: trajectories first, then the points that join them.
class PointRunner : public Monitor {
 public:
  PointRunner(const std::vector<Point>& points, const RunOptions& options, KeptRuns* kept)
      : points_(points), options_(options), kept_(kept), runs_(points.size()) {
    for (std::size_t i = 0; i < points.size(); ++i)
      if (kept == nullptr || !(runs_[i] = kept->find(points[i]))) waiting_.push_back(i);
    add_trajectories();
    for (const std::size_t i : waiting_) add_point(i);
    const int wanted = options.jobs > 0 ? options.jobs : cores();
    jobs_ = std::clamp(static_cast<int>(tasks_.size()), 1, wanted);
    numeric_jobs_ = std::min(jobs_, numeric_tasks());
    std::vector<std::string> labels;
    for (const ChildTask& task : tasks_) labels.push_back(task.label);
    progress_.emplace(std::move(labels), options.loudness);
  }

  std::vector<sim::Run> run() {
    const std::vector<Ending> endings = run_in_children(tasks_, jobs_, *this);
    progress_.reset();
    throw_errors(endings);
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      if (const std::ptrdiff_t point = point_of_[task]; point >= 0)
        place(static_cast<std::size_t>(point), endings, task);
    std::vector<sim::Run> runs;
    for (std::optional<sim::Run>& run : runs_) runs.push_back(std::move(*run));
    return runs;
  }

  void started(std::size_t task) override {
    if (point_of_[task] >= 0) engine();
    progress_->started(task);
  }
  void progressed(std::size_t task, const sim::Progress& progress) override { progress_->progressed(task, progress); }
  void tick() override { progress_->tick(); }
  void ended(std::size_t task, const Ending& ending) override {
    progress_->ended(task);
    if (ending.kind != Ending::Kind::answered) return;
    if (point_of_[task] < 0) {
      trajectories_[task] = unpacked_trajectory(ending.text);
      return;
    }
    const auto point = static_cast<std::size_t>(point_of_[task]);
    runs_[point] = analysis::run_from_text(ending.text);
    if (kept_ != nullptr && runs_[point]->result.status != sim::Status::interrupted)
      kept_->keep(points_[point], *runs_[point]);
  }

 private:
  void add_trajectories() {
    for (const std::size_t i : waiting_) {
      const Point& point = points_[i];
      if (!has_trajectory(point, options_.numbers) || trajectory_task_.contains(point.numeric_key)) continue;
      trajectory_task_[point.numeric_key] = static_cast<std::ptrdiff_t>(tasks_.size());
      const std::string name = point.variant.empty() ? std::string("numbers") : point.variant + " numbers";
      tasks_.push_back({name, [this, &point](const Tell& tell) { return computed_trajectory(point, tell); }, -1});
      point_of_.push_back(-1);
    }
  }

  void add_point(std::size_t i) {
    const Point& point = points_[i];
    const std::ptrdiff_t after = has_trajectory(point, options_.numbers) ? trajectory_task_.at(point.numeric_key) : -1;
    tasks_.push_back(
        {label(point), [this, &point, after](const Tell& tell) { return simulated(point, after, tell); }, after});
    point_of_.push_back(static_cast<std::ptrdiff_t>(i));
  }

  // Those that hold the vectors of all ranks.
  int numeric_tasks() const {
    const auto full = [this](std::size_t i) {
      const auto* job = std::get_if<sim::TrainingJob>(&points_[i].job);
      return job != nullptr && job->learning && !has_trajectory(points_[i], options_.numbers);
    };
    return static_cast<int>(trajectory_task_.size()) +
           static_cast<int>(std::count_if(waiting_.begin(), waiting_.end(), full));
  }

  // In a child.
  int pool_share() const { return std::max(1, cores() / jobs_); }

  std::string computed_trajectory(const Point& point, const Tell& tell) const {
    models::set_pool_threads(pool_share());
    const topologies::World world = topologies::build(point.cluster);
    const sim::Program program = sim::plan(point.job, world, options_.out_of_memory);
    const auto& training = std::get<sim::TrainingProgram>(program.role);
    sim::check_numeric_memory(training, available_memory(), numeric_jobs_);
    return packed(
        sim::compute_trajectory(training, point.seed, &interruption(), [&tell](std::int64_t step, std::int64_t steps) {
          sim::Progress progress;
          progress.step = step;
          progress.steps = steps;
          tell(progress);
        }));
  }

  std::string simulated(const Point& point, std::ptrdiff_t trajectory, const Tell& tell) const {
    models::set_pool_threads(pool_share());
    const topologies::World world = topologies::build(point.cluster);
    const sim::Program program = sim::plan(point.job, world, options_.out_of_memory);
    if (const auto* training = std::get_if<sim::TrainingProgram>(&program.role); training && trajectory < 0)
      sim::check_numeric_memory(*training, available_memory(), numeric_jobs_);
    sim::Options options;
    options.fidelity = point.cluster.fidelity;
    options.seed = point.seed;
    options.repeats = point.repeats;
    options.tracing = options_.tracing;
    options.numbers = trajectory >= 0 ? sim::Numbers::joined : sim::Numbers::full;
    options.trajectory = trajectory >= 0 ? &trajectories_.at(static_cast<std::size_t>(trajectory)) : nullptr;
    options.limits.simulated = options_.max_sim_time;
    options.limits.wall_s = options_.max_wall_time_s;
    options.limits.interrupted = &interruption();
    options.progress = tell;
    return analysis::run_to_text(run_of(point, engine()(program, world, options)));
  }

  // Equal messages of many points are one.
  static void throw_errors(const std::vector<Ending>& endings) {
    std::vector<models::Diagnostic> all;
    for (const Ending& ending : endings)
      for (const models::Diagnostic& one : ending.diagnostics) {
        const auto same = [&one](const models::Diagnostic& other) {
          return other.place == one.place && other.message == one.message;
        };
        if (std::none_of(all.begin(), all.end(), same)) all.push_back(one);
      }
    if (!all.empty()) throw models::Error(std::move(all));
  }

  void place(std::size_t point, const std::vector<Ending>& endings, std::size_t task) {
    if (runs_[point]) return;
    const std::ptrdiff_t after = tasks_[task].after;
    const Ending& own = endings[task];
    const Ending& ending =
        own.kind == Ending::Kind::not_started && after >= 0 ? endings[static_cast<std::size_t>(after)] : own;
    if (interruption())
      runs_[point] = unfinished(points_[point], sim::Status::interrupted,
                                own.kind == Ending::Kind::not_started ? "not started" : "stopped");
    else if (ending.kind == Ending::Kind::bug)
      runs_[point] = unfinished(points_[point], sim::Status::crashed, "bug: " + ending.text);
    else
      runs_[point] = unfinished(points_[point], sim::Status::crashed, ending.text);
  }

  const std::vector<Point>& points_;
  const RunOptions& options_;
  KeptRuns* kept_;
  std::vector<std::optional<sim::Run>> runs_;  // by point
  std::vector<std::size_t> waiting_;           // points without a run
  std::vector<ChildTask> tasks_;
  std::vector<std::ptrdiff_t> point_of_;                   // by task; -1: a trajectory
  std::map<std::string, std::ptrdiff_t> trajectory_task_;  // by numeric key
  std::map<std::size_t, sim::Trajectory> trajectories_;    // by task
  int jobs_ = 1, numeric_jobs_ = 1;                        // processes at once; of those, with numbers
  std::optional<ProgressLine> progress_;
};

}  // namespace

std::string label(const Point& point) {
  std::string text = point.variant;
  for (const sim::PointValue& value : point.at) text += (text.empty() ? "" : ", ") + value.text;
  if (text.empty()) text = fmt::format("seed {}", point.seed);
  return text;
}

std::vector<sim::Run> run_each(const std::vector<Point>& points, const RunOptions& options, KeptRuns* kept) {
  PointRunner runner(points, options, kept);
  return runner.run();
}

}  // namespace scenarios
