#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/app/catalogue.hpp"
#include "scenarios/app/commands.hpp"
#include "scenarios/app/exit_codes.hpp"
#include "scenarios/app/interruption.hpp"
#include "scenarios/app/kept_runs.hpp"
#include "scenarios/app/output_folder.hpp"

namespace {

using namespace scenarios;

int run(const Command& command) {
  const Scenario scenario =
      read(command.words.front(), command.overrides,
           [&command](const sim::ScenarioInfo& info, std::size_t points) { check_point_count(info, points, command); });
  outlive_readers();
  OutputFolder folder(output_folder(command));
  std::optional<RunFolder> kept;
  if (command.name == Command::Name::sweep)
    kept.emplace(output_folder(command) + "/points", identity(scenario, command));
  const std::vector<sim::Run> runs = run_each(scenario.points, command.options, kept ? &*kept : nullptr);
  for (const analysis::ReportRow* output : outputs(scenario, command)) output->write(scenario.info, runs, folder);
  folder.commit();
  for (const auto& file : folder.files())
    if (file.extension() == ".html") say(fmt::format("report: {}\n", file.string()));
  return verdict(scenario.points, runs);
}

int print_all(std::string_view text) {
  print(text);
  return exit_done;
}

int execute(const Command& command) {
  switch (command.name) {
    case Command::Name::run:
    case Command::Name::sweep:
      return run(command);
    case Command::Name::verify:
      return verify(command);
    case Command::Name::report:
      return report(command);
    case Command::Name::check:
      return check(command);
    case Command::Name::list:
      if (command.words.size() > 1 && command.words.front() == "topology")
        return print_all(topology_figures(command.words.back()));
      return print_all(listing(command.words.empty() ? std::nullopt : std::optional(command.words.front())));
    case Command::Name::make_new:
      return print_all(template_of(command.words.front()));
    case Command::Name::explain:
      return print_all(explanation(command.words.front()));
    case Command::Name::schema:
      return print_all(schema());
  }
  return exit_usage;
}

}  // namespace

int main(int count, char** words) {
  try {
    const Parsed parsed = scenarios::parsed(count, words);
    if (!parsed.command) {
      if (parsed.answer.exit_code == exit_done)
        print(parsed.answer.text);
      else
        say(parsed.answer.text);
      return parsed.answer.exit_code;
    }
    watch_for_interruption();
    return execute(*parsed.command);
  } catch (const models::Error& error) {
    say(std::string(error.what()) + "\n");
    return interruption() ? exit_interrupted : exit_user_error;
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().string();
    say(fmt::format("{}: error: {}\n", path.empty() ? "a folder inside the given one" : path, error.code().message()));
    return exit_user_error;
  } catch (const std::bad_alloc&) {
    say("windtunnel: this machine's memory does not suffice\n");
    return exit_user_error;
  } catch (const std::exception& error) {
    say(fmt::format("windtunnel {}: bug: {}\n  Please report it with the scenario.\n", WINDTUNNEL_VERSION,
                    error.what()));
    return exit_bug;
  }
}
