#include "scenarios/app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <utility>

#include "models/base/params.hpp"
#include "models/base/units.hpp"
#include "scenarios/app/exit_codes.hpp"

namespace scenarios {

namespace {

constexpr const char* version_text = "windtunnel " WINDTUNNEL_VERSION " (" WINDTUNNEL_BUILD_TYPE
                                     ", " WINDTUNNEL_COMPILER ", SimGrid " WINDTUNNEL_SIMGRID ")";

struct Later {
  const char* name;
  const char* what;
};
constexpr std::array later{Later{"plan", "searching for the cheapest feasible point"},
                           Later{"sensitivity", "elasticities of a metric"},
                           Later{"merge", "joining the shards of a sweep"}};

// Texts as CLI11 fills them in, before they become values.
struct Texts {
  std::string max_sim_time, numbers = "joined";
  bool trace = false, quiet = false, allow_oom = false;
  std::uint64_t seed = 0;
  double max_wall_time = 0.0;
};

// CLI11's own ranges let nan pass and print their bounds with 300 digits.
std::string a_duration(const std::string& text) {
  const std::optional<double> value = models::read_number(text);
  return value && *value > 0.0 ? "" : fmt::format("'{}' is not a number of seconds above 0", text);
}

void add_overrides(CLI::App& command, Overrides& overrides, Texts& texts) {
  command
      .add_option("--set", overrides.set,
                  "KEY=VALUE: replaces the value at KEY in every variant; a swept KEY is swept no more")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--only", overrides.only, "only this variant; may be repeated")
      ->type_name("VARIANT")
      ->allow_extra_args(false);
  command.add_option("--point", overrides.at, "only points of the sweep with this value")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", texts.seed, "instead of the scenario's seed")
      ->check(CLI::Range(std::uint64_t{0}, (std::uint64_t{1} << 48) - 1));
}

void add_run_options(CLI::App& command, Command& parsed, Texts& texts) {
  add_overrides(command, parsed.overrides, texts);
  command.add_option("--jobs", parsed.options.jobs, "processes at once (default: all cores)")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--quiet", texts.quiet, "no progress on standard error");
  command.add_option("--max-sim-time", texts.max_sim_time, "end a run at this simulated time: 10 s")->type_name("TIME");
  command.add_option("--max-wall-time", texts.max_wall_time, "end a run after this many real seconds")
      ->check(a_duration, "");
  command.add_flag("--allow-oom", texts.allow_oom, "go on when a plan does not fit the device's memory");
  command
      .add_option("--numbers", texts.numbers,
                  "joined: a trajectory that does not depend on time is computed once; full: inside the simulated time")
      ->check(CLI::IsMember({"joined", "full"}));
}

void add_simulating(CLI::App& app, Command& parsed, Texts& texts) {
  CLI::App* run =
      app.add_subcommand("run", "simulates every variant x sweep point (at most 64), prints a table, leaves a report");
  CLI::App* sweep = app.add_subcommand("sweep", "as run, any number of points; goes on where it stopped");
  for (CLI::App* command : {run, sweep}) {
    command->add_option("scenario", parsed.words, "a scenario file")
        ->required()
        ->expected(1)
        ->type_name("SCENARIO.yaml");
    command->add_option("--out", parsed.out, "folder of the result (default: out/SCENARIO)")->type_name("DIR");
    command->add_flag("--trace", texts.trace, "also a Chrome/Perfetto trace.json");
    add_run_options(*command, parsed, texts);
  }
  CLI::App* verify = app.add_subcommand(
      "verify", "compares scenarios that have a reference: with published numbers; 1 when one is off");
  verify->add_option("scenarios", parsed.words, "folders or files (default: the project's scenarios/paper)")
      ->type_name("FOLDER|FILE");
  add_run_options(*verify, parsed, texts);
}

void add_reading(CLI::App& app, Command& parsed, Texts& texts) {
  CLI::App* report = app.add_subcommand("report", "one self-contained HTML file from results");
  report->add_option("results", parsed.words, "result.json files or their folders")->required()->type_name("RESULT");
  report->add_option("-o", parsed.out, "the file to write (default: report.html)")->type_name("FILE");
  CLI::App* check = app.add_subcommand("check", "validates scenarios, milliseconds");
  check->add_option("scenarios", parsed.words, "scenario files")->required()->type_name("SCENARIO.yaml");
  add_overrides(*check, parsed.overrides, texts);
  app.add_subcommand("list", "algorithms, models, devices, links, topologies and more, each with its source")
      ->add_option("kind", parsed.words, "one kind only; topology NAME: figures of a graph, a scenario's or a mapping's")
      ->expected(0, 2)
      ->type_name("KIND");
  app.add_subcommand("new", "writes a commented scenario to start from, to standard output")
      ->add_option("job", parsed.words, "training or collective")
      ->required()
      ->expected(1)
      ->check(CLI::IsMember({"training", "collective", "serving"}))
      ->type_name("JOB");
  app.add_subcommand("explain", "type, unit, default and meaning of a scenario key")
      ->add_option("key", parsed.words, "a key's path: training.batch.micro")
      ->required()
      ->expected(1)
      ->type_name("KEY");
  app.add_subcommand("schema", "JSON Schema of the scenario language, for editors");
  for (const Later& one : later) {
    CLI::App* command = app.add_subcommand(one.name, "")->group("");
    command->allow_extras();
  }
}

Answer not_in_this_version(const std::string& what) {
  return {exit_usage, fmt::format("windtunnel: {} is not in this version {}\n", what, WINDTUNNEL_VERSION)};
}

const std::map<std::string, Command::Name>& names() {
  using Name = Command::Name;
  static const std::map<std::string, Name> all{
      {"run", Name::run},       {"sweep", Name::sweep},     {"verify", Name::verify},
      {"report", Name::report}, {"check", Name::check},     {"list", Name::list},
      {"new", Name::make_new},  {"explain", Name::explain}, {"schema", Name::schema}};
  return all;
}

std::optional<Answer> finish(const CLI::App& chosen, Command& command, const Texts& texts) {
  command.name = names().at(chosen.get_name());
  if (command.name == Command::Name::make_new && command.words.front() == "serving")
    return not_in_this_version("a serving job");
  const CLI::Option* seed = chosen.get_option_no_throw("--seed");
  if (seed != nullptr && seed->count() > 0) command.overrides.seed = texts.seed;
  command.options.numbers = texts.numbers == "full" ? sim::Numbers::full : sim::Numbers::joined;
  command.options.tracing = texts.trace ? sim::Tracing::on : sim::Tracing::off;
  command.options.loudness = texts.quiet ? Loudness::quiet : Loudness::normal;
  command.options.out_of_memory = texts.allow_oom ? sim::OnOutOfMemory::allow : sim::OnOutOfMemory::refuse;
  if (texts.max_wall_time > 0.0) command.options.max_wall_time_s = texts.max_wall_time;
  const CLI::Option* max_sim_time = chosen.get_option_no_throw("--max-sim-time");
  if (max_sim_time != nullptr && max_sim_time->count() > 0) {
    command.options.max_sim_time = models::read_seconds(texts.max_sim_time);
    if (!command.options.max_sim_time || command.options.max_sim_time->value <= 0.0)
      return Answer{
          exit_usage,
          fmt::format("windtunnel: --max-sim-time: '{}' is not a time; write it with its unit, as in '10 s'\n",
                      texts.max_sim_time)};
  }
  return std::nullopt;
}

// CLI11 names neither the word nor what comes near it.
std::optional<Answer> unknown_command(const CLI::App& app, int count, const char* const* words) {
  if (count < 2 || words[1][0] == '-') return std::nullopt;
  const std::string wrong = words[1];
  std::vector<std::string> known{"test"};  // of the wrapper, ./windtunnel
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == wrong) return std::nullopt;
    if (!command->get_group().empty()) known.push_back(command->get_name());
  }
  if (wrong == known.front())
    return Answer{exit_usage,
                  "windtunnel: the tests are started by the wrapper of the source tree: ./windtunnel test\n"};
  return Answer{exit_usage, fmt::format("windtunnel: command '{}' is not known\n  hint: {}\n", wrong,
                                        models::known_hint(wrong, known))};
}

}  // namespace

Parsed parsed(int count, const char* const* words) {
  CLI::App app(
      "A wind tunnel for distributed training: how fast it runs, how well it learns, how much memory it needs.",
      "windtunnel");
  app.set_version_flag("--version", version_text, "version, build type, compiler, SimGrid");
  app.require_subcommand(1);
  app.footer(
      "`./windtunnel test` runs the test suite. Exit codes: 0 done, 1 yours to fix, 2 wrong usage, 3 our bug, 130 "
      "interrupted.");
  Command command;
  Texts texts;
  add_simulating(app, command, texts);
  add_reading(app, command, texts);
  if (const std::optional<Answer> wrong = unknown_command(app, count, words)) return {std::nullopt, *wrong};
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {  // help and version come this way too
    std::ostringstream out, errors;
    const int code = app.exit(error, out, errors);
    return {std::nullopt, code == 0 ? Answer{exit_done, out.str()} : Answer{exit_usage, errors.str() + out.str()}};
  }
  const CLI::App& chosen = *app.get_subcommands().front();
  for (const Later& one : later)
    if (chosen.get_name() == one.name)
      return {std::nullopt, not_in_this_version(fmt::format("'{}' ({})", one.name, one.what))};
  if (const std::optional<Answer> wrong = finish(chosen, command, texts)) return {std::nullopt, *wrong};
  return {std::move(command), {}};
}

}  // namespace scenarios
