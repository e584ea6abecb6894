#include "scenarios/app/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <utility>

#include "analysis/report/json.hpp"
#include "analysis/verify/verify.hpp"
#include "scenarios/app/exit_codes.hpp"
#include "scenarios/app/interruption.hpp"
#include "scenarios/app/output_folder.hpp"

namespace scenarios {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_points_of_run = 64;

// A rebuilt program may compute something else.
std::string program_identity() {
  struct stat state {};
  if (stat("/proc/self/exe", &state) != 0) return WINDTUNNEL_VERSION;
  return fmt::format("{} {} {}.{:09}", WINDTUNNEL_VERSION, state.st_size, state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
}

// Scenario files of a folder, in the order of their names; a file stands for itself.
std::vector<std::string> scenario_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    if (!fs::is_directory(word)) {
      files.push_back(word);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::recursive_directory_iterator(word))
      if (entry.path().extension() == ".yaml") inside.push_back(entry.path().string());
    if (inside.empty()) throw models::Error({word, 0, 0, {}}, "no scenario (*.yaml) lies in this folder");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

std::string published_scenarios() {
  const char* home = std::getenv("WINDTUNNEL_HOME");
  return (fs::path(home != nullptr ? home : ".") / "scenarios" / "paper").string();
}

analysis::Loaded loaded(const std::string& word) {
  const fs::path path = fs::is_directory(word) ? fs::path(word) / "result.json" : fs::path(word);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    throw models::Error({path.string(), 0, 0, {}}, "cannot be read",
                        "give a result.json or the folder of one: out/quickstart");
  return analysis::read_result(text.str(), path.string());
}

// Takes the one file a report writes, under the name the user wants.
class NamedFile : public analysis::Outputs {
 public:
  explicit NamedFile(std::string path) : path_(std::move(path)) {}
  void print(std::string_view text) override { scenarios::print(text); }
  void file(std::string_view, std::string_view content) override { replace_file(path_, content); }

 private:
  std::string path_;
};

}  // namespace

std::string output_folder(const Command& command) {
  if (command.out) return *command.out;
  return (fs::path("out") / fs::path(command.words.front()).stem()).string();
}

void check_point_count(const sim::ScenarioInfo& scenario, std::size_t count, const Command& command) {
  if (command.name == Command::Name::run && count > most_points_of_run)
    throw models::Error(
        {scenario.file, 0, 0, {}},
        fmt::format("the scenario has {} points, `run` takes at most {}", count, most_points_of_run),
        fmt::format("`windtunnel sweep {}` takes any number and goes on where it stopped; --only and --point choose",
                    scenario.file));
}

std::string identity(const Scenario& scenario, const Command& command) {
  std::string text = program_identity() + " " + scenario.info.sha256;
  for (const std::string& one : command.overrides.set) text += "\x1f" + one;
  const RunOptions& options = command.options;
  text += fmt::format("\x1f{} {} {}", static_cast<int>(options.numbers), static_cast<int>(options.tracing),
                      static_cast<int>(options.out_of_memory));
  if (options.max_sim_time) text += fmt::format(" sim {}", options.max_sim_time->value);
  if (options.max_wall_time_s) text += fmt::format(" wall {}", *options.max_wall_time_s);
  return text;
}

std::vector<const analysis::ReportRow*> outputs(const Scenario& scenario, const Command& command) {
  std::vector<std::string> names = scenario.outputs;
  constexpr const char* trace = "chrome_trace";
  if (command.options.tracing == sim::Tracing::on && std::find(names.begin(), names.end(), trace) == names.end())
    names.emplace_back(trace);
  std::vector<const analysis::ReportRow*> rows;
  for (const std::string& name : names) {
    rows.push_back(analysis::find_report(name));
    models::ensure(rows.back() != nullptr, "an output of a validated scenario has a report");
  }
  return rows;
}

int verdict(const std::vector<Point>& points, const std::vector<sim::Run>& runs) {
  models::ensure(points.size() == runs.size(), "every point has its run");
  int code = exit_done;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const sim::Result& result = runs[i].result;
    if (result.status == points[i].expected) continue;
    say(fmt::format("windtunnel: {}: {}, expected {}{}{}\n", label(points[i]),
                    sim::status_names[static_cast<int>(result.status)],
                    sim::status_names[static_cast<int>(points[i].expected)], result.status_detail.empty() ? "" : ": ",
                    result.status_detail));
    const bool bug = result.status == sim::Status::crashed && result.status_detail.starts_with("bug: ");
    if (bug)
      say(fmt::format("  This is a bug of windtunnel {}: please report it with the scenario.\n", WINDTUNNEL_VERSION));
    code = std::max(code, bug ? exit_bug : exit_user_error);
  }
  return interruption() ? exit_interrupted : code;
}

int verify(const Command& command) {
  const std::vector<std::string> files =
      scenario_files(command.words.empty() ? std::vector<std::string>{published_scenarios()} : command.words);
  analysis::Counts counts;
  int code = exit_done;
  std::size_t verified = 0;
  for (const std::string& file : files) {
    const Scenario scenario = read(file, command.overrides);
    if (scenario.info.references.empty()) continue;
    const std::vector<sim::Run> runs = run_each(scenario.points, command.options);
    code = std::max(code, verdict(scenario.points, runs));
    if (interruption()) return exit_interrupted;
    const analysis::Verification verification = analysis::verify(scenario.info, runs);
    print((verified++ == 0 ? "" : "\n") + analysis::verify_text(scenario.info, verification));
    counts += verification.counts;
    if (!verification.passed()) code = std::max(code, exit_user_error);
  }
  if (verified == 0)
    throw models::Error({}, "no scenario with a 'reference' was found",
                        "give a scenario file or a folder: scenarios/paper");
  if (verified > 1) print("\nall: " + analysis::summary(counts) + "\n");
  return code;
}

int check(const Command& command) {
  int code = exit_done;
  for (const std::string& file : scenario_files(command.words)) {
    try {  // the errors of every file, not of the first wrong one
      const Scenario scenario = read(file, command.overrides);
      print(fmt::format("{}: valid, {} {}\n", file, scenario.points.size(),
                        scenario.points.size() == 1 ? "point" : "points"));
    } catch (const models::Error& error) {
      say(std::string(error.what()) + "\n");
      code = exit_user_error;
    }
  }
  return code;
}

int report(const Command& command) {
  analysis::Loaded all = loaded(command.words.front());
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    analysis::Loaded next = loaded(command.words[i]);
    for (sim::Run& run : next.runs) {
      if (next.scenario.name != all.scenario.name)
        run.variant = next.scenario.name + (run.variant.empty() ? "" : ": " + run.variant);
      all.runs.push_back(std::move(run));
    }
  }
  const std::string path = command.out.value_or("report.html");
  NamedFile file(path);
  const analysis::ReportRow* html = analysis::find_report("html");
  models::ensure(html != nullptr, "there is an HTML report");
  html->write(all.scenario, all.runs, file);
  say(fmt::format("report: {}\n", path));
  return exit_done;
}

}  // namespace scenarios
