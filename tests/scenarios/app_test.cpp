// The program end to end: exit codes, options, what it says.

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/small_scenario.hpp"

namespace {

namespace fs = std::filesystem;
using support::content;
using support::count;
using support::Finished;
using support::Folder;
using support::run_program;
using support::small_scenario;

}  // namespace

TEST_CASE("exit codes tell done, user error and wrong usage apart", "[app]") {
  const Folder folder;
  const std::string good = folder.file("good.yaml", small_scenario());
  const std::string bad = folder.file("bad.yaml", small_scenario("  stepps: 3\n"));
  CHECK(run_program({"check", good}).exit_code == 0);
  CHECK(run_program({"--help"}).exit_code == 0);
  CHECK(run_program({"list", "algorithm"}).out.find("onebit_adam") != std::string::npos);
  CHECK(run_program({"explain", "training.batch.micro"}).exit_code == 0);
  const Finished unknown_key = run_program({"check", good, bad});
  CHECK(unknown_key.exit_code == 1);
  CHECK(unknown_key.errors.find("bad.yaml:13:3: error: key 'stepps' is not known") != std::string::npos);
  CHECK(unknown_key.out.find("good.yaml") != std::string::npos);
  CHECK(run_program({"run", (folder / "absent.yaml").string()}).exit_code == 1);
  CHECK(run_program({}).exit_code == 2);
  CHECK(run_program({"rum", good}).exit_code == 2);
  CHECK(run_program({"run", good, "--jobs", "0"}).exit_code == 2);
  CHECK(run_program({"run", good, "--max-sim-time", "10"}).exit_code == 2);
  const Finished later = run_program({"plan", good});
  CHECK(later.exit_code == 2);
  CHECK(later.errors.find("not in this version") != std::string::npos);
}

TEST_CASE("the option --version names build type, compiler and SimGrid", "[app]") {
  const Finished version = run_program({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out.find("windtunnel ") == 0);
  CHECK(version.out.find("SimGrid 3.") != std::string::npos);
}

TEST_CASE("a new scenario is valid as written", "[app]") {
  const Folder folder;
  for (const std::string job : {"training", "collective"}) {
    const std::string path = folder.file(job + ".yaml", run_program({"new", job}).out);
    const Finished checked = run_program({"check", path});
    INFO(checked.errors);
    CHECK(checked.exit_code == 0);
  }
}

TEST_CASE("shipped scenarios are valid", "[app]") {
  std::vector<std::string> words{"check"};
  for (const auto& entry : fs::recursive_directory_iterator(SOURCE_DIR "/scenarios"))
    if (entry.path().extension() == ".yaml") words.push_back(entry.path().string());
  REQUIRE(words.size() > 5);
  const Finished checked = run_program(words);
  INFO(checked.errors);
  CHECK(checked.exit_code == 0);
}

TEST_CASE("results have the same bytes for any number of jobs", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  const Finished one = run_program({"run", scenario, "--out", (folder / "one").string(), "--jobs", "1"});
  INFO(one.errors);
  REQUIRE(one.exit_code == 0);
  REQUIRE(run_program({"run", scenario, "--out", (folder / "three").string(), "--jobs", "3"}).exit_code == 0);
  const std::string result = content(folder / "one" / "result.json");
  CHECK(result.size() > 1000);
  CHECK(result == content(folder / "three" / "result.json"));
  CHECK(count(result, "\"status\": \"completed\"") + count(result, "\"status\":\"completed\"") == 4);
  CHECK(fs::exists(folder / "one" / "report.html"));
  CHECK(one.out.find("onebit_adam") != std::string::npos);
}

TEST_CASE("the option --set on a swept key sweeps it no more, --only and --point choose", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  const auto runs = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", scenario, "--out", (folder / "out").string(), "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = run_program(words);
    INFO(finished.errors);
    CHECK(finished.exit_code == 0);
    return count(content(folder / "out" / "result.json"), "\"variant\"");
  };
  CHECK(runs({}) == 4);
  CHECK(runs({"--set", "cluster.topology.link.bandwidth=25 Gb/s"}) == 2);
  CHECK(runs({"--only", "adam"}) == 2);
  CHECK(runs({"--only", "adam", "--point", "cluster.topology.link.bandwidth=1 Gb/s"}) == 1);
}

TEST_CASE("more than 64 points are for sweep, which goes on where it stopped", "[app]") {
  const Folder folder;
  std::string many = small_scenario();
  many.replace(many.find("[1 Gb/s, 10 Gb/s]"), 17, "{from: 1 Gb/s, to: 34 Gb/s, steps: 34}");
  many.erase(many.find("  learning:"), many.find("variants:") - many.find("  learning:"));
  const std::string scenario = folder.file("many.yaml", many);
  const Finished refused = run_program({"run", scenario, "--out", (folder / "out").string()});
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find("windtunnel sweep") != std::string::npos);
  const std::vector<std::string> sweep{"sweep", scenario, "--out", (folder / "out").string(), "--quiet"};
  const Finished first = run_program(sweep);
  INFO(first.errors);
  REQUIRE(first.exit_code == 0);
  const std::string result = content(folder / "out" / "result.json");
  CHECK(count(result, "\"variant\"") == 68);
  // One finished point is lost; the others are not simulated again.
  std::vector<fs::path> kept;
  for (const auto& entry : fs::directory_iterator(folder / "out" / "points")) kept.push_back(entry.path());
  REQUIRE(kept.size() == 68);
  fs::remove(kept.front());
  const auto written = fs::last_write_time(kept.back());
  CHECK(run_program(sweep).exit_code == 0);
  CHECK(fs::exists(kept.front()));
  CHECK(fs::last_write_time(kept.back()) == written);
  CHECK(content(folder / "out" / "result.json") == result);
}

TEST_CASE("paths that cannot be looked at and folders without scenarios are the user's", "[app]") {
  const Folder folder;
  fs::create_directory(folder / "empty");
  fs::create_symlink("loop", folder / "loop");
  const Finished empty = run_program({"check", (folder / "empty").string()});
  CHECK(empty.exit_code == 1);
  CHECK(empty.errors.find("no scenario (*.yaml) lies in this folder") != std::string::npos);
  for (const std::string& path : {(folder / "loop").string(), std::string(5000, 'a')})
    for (const char* command : {"check", "verify", "report"}) CHECK(run_program({command, path}).exit_code == 1);
}

TEST_CASE("a wall time is a number of seconds above 0, a simulated time has a unit", "[app]") {
  for (const char* wrong : {"nan", "inf", "0", "-1", "soon", ""})
    CHECK(run_program({"run", "absent.yaml", "--max-wall-time", wrong}).exit_code == 2);
  for (const char* wrong : {"10", "0 s", "-1 s", "soon", ""})
    CHECK(run_program({"run", "absent.yaml", "--max-sim-time", wrong}).exit_code == 2);
}

TEST_CASE("an unknown command is named with the nearest one", "[app]") {
  const Finished unknown = run_program({"runs", "absent.yaml"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.errors.find("command 'runs' is not known\n  hint: did you mean 'run'? known: ") != std::string::npos);
  CHECK(run_program({"verfy"}).errors.find("did you mean 'verify'?") != std::string::npos);
  CHECK(run_program({"zzz"}).errors.find("hint: known: ") != std::string::npos);
}

TEST_CASE("too many points are refused before they are read", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  const auto begin = std::chrono::steady_clock::now();
  const Finished refused = run_program({"run", scenario, "--out", (folder / "out").string(), "--set", "repeats=10000"});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find("the scenario has 40000 points, `run` takes at most 64") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("1-bit Adam exchanges its scales among any number of ranks", "[app]") {
  const Folder folder;
  std::string timing = small_scenario();
  timing.erase(timing.find("  learning:"), timing.find("variants:") - timing.find("  learning:"));
  const std::string scenario = folder.file("small.yaml", timing);
  const Finished finished =
      run_program({"run", scenario, "--out", (folder / "out").string(), "--only", "onebit_adam", "--quiet", "--set",
                   "cluster.topology.nodes=3000", "--set", "cluster.topology.link.bandwidth=10 Gb/s"});
  INFO(finished.errors);
  CHECK(finished.exit_code == 0);
}
