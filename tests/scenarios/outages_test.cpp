// What stands in --out afterwards, whatever happens on the way: limits, signals, full disks, odd devices, small
// machines.

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/small_scenario.hpp"

namespace {

namespace fs = std::filesystem;
using support::content;
using support::count;
using support::Finished;
using support::Folder;
using support::Program;
using support::run_program;
using support::small_scenario;

// Minutes of numeric work: something to interrupt.
std::vector<std::string> long_run(const std::string& scenario, const fs::path& out) {
  return {"run",       scenario, "--out",  out.string(), "--set",  "training.steps=100000000",
          "--numbers", "full",   "--jobs", "1",          "--quiet"};
}

bool within(std::chrono::seconds limit, const std::function<bool()>& happens) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end) {
    if (happens()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("a run that ends otherwise than its scenario expects is named and exits 1", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  const Finished finished =
      run_program({"run", scenario, "--out", (folder / "out").string(), "--quiet", "--max-sim-time", "1 ms", "--only",
                   "adam", "--point", "cluster.topology.link.bandwidth=1 Gb/s"});
  CHECK(finished.exit_code == 1);
  CHECK(finished.errors.find("adam, 1 Gb/s: time_limit") != std::string::npos);
}

TEST_CASE("an interrupted run exits 130 and keeps what it has", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    Program program(long_run(scenario, folder / "out"));
    REQUIRE(within(std::chrono::seconds(20), [&] { return !program.children().empty(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    program.send(signal_number);
    REQUIRE(within(std::chrono::seconds(20), [&] { return !program.running(); }));
    const Finished finished = program.wait();
    INFO(finished.errors);
    CHECK(finished.exit_code == 130);
    const std::string result = content(folder / "out" / "result.json");
    CHECK(count(result, "\"variant\"") == 4);
    CHECK(result.find("interrupted") != std::string::npos);
  }
}

TEST_CASE("a run killed on the way leaves the former result and no child", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  REQUIRE(run_program({"run", scenario, "--out", (folder / "out").string(), "--quiet"}).exit_code == 0);
  const std::string former = content(folder / "out" / "result.json");
  std::vector<pid_t> children;
  {
    Program program(long_run(scenario, folder / "out"));
    REQUIRE(within(std::chrono::seconds(20), [&] { return !(children = program.children()).empty(); }));
    program.send(SIGKILL);
    CHECK(program.wait().exit_code == -1);
  }
  CHECK(content(folder / "out" / "result.json") == former);
  CHECK(within(std::chrono::seconds(10), [&] {
    // A zombie whose new parent has not looked yet is gone too.
    const std::string state = content("/proc/" + std::to_string(children.front()) + "/stat");
    return state.empty() || state.find(") Z") != std::string::npos;
  }));
}

TEST_CASE("a process that dies is a crashed run that names the signal", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  std::vector<std::string> words = long_run(scenario, folder / "out");
  words.insert(words.end(), {"--only", "adam", "--point", "cluster.topology.link.bandwidth=1 Gb/s"});
  Program program(words);
  std::vector<pid_t> children;
  REQUIRE(within(std::chrono::seconds(20), [&] { return !(children = program.children()).empty(); }));
  kill(children.front(), SIGKILL);
  const Finished finished = program.wait();
  CHECK(finished.exit_code == 1);
  CHECK(finished.errors.find("adam, 1 Gb/s: crashed") != std::string::npos);
  CHECK(finished.errors.find("signal 9") != std::string::npos);
  CHECK(content(folder / "out" / "result.json").find("crashed") != std::string::npos);
}

TEST_CASE("an --out that cannot be written is said before the simulation", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  const std::string in_the_way = folder.file("occupied", "a file");
  const Finished finished = run_program({"run", scenario, "--out", in_the_way});
  CHECK(finished.exit_code == 1);
  CHECK(finished.errors.find("occupied: error: cannot be written") != std::string::npos);
  CHECK(finished.out.empty());
  CHECK(content(in_the_way) == "a file");
}

TEST_CASE("a disk that fills up leaves the former result whole", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  const std::vector<std::string> words{"run", scenario, "--out", (folder / "out").string(), "--quiet", "--seed", "2"};
  REQUIRE(run_program({"run", scenario, "--out", (folder / "out").string(), "--quiet"}).exit_code == 0);
  const std::string result = content(folder / "out" / "result.json"), report = content(folder / "out" / "report.html");
  REQUIRE(report.size() > 80'000);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder / "out")) ++files;
  // No room at all: before the simulation. Room for result.json, not for the report: when that is written.
  for (const rlim_t room : {rlim_t{0}, static_cast<rlim_t>(report.size() - 1000)}) {
    Program program(words, room, "/dev/null");
    const Finished finished = program.wait();
    INFO(finished.errors);
    CHECK(finished.exit_code == 1);
    const std::string named = (folder / "out" / "report.html").string();
    if (room > 0)
      CHECK(finished.errors.find(named + ": error: cannot be written") == 0);  // else not even this has room
    CHECK(content(folder / "out" / "result.json") == result);
    CHECK(content(folder / "out" / "report.html") == report);
    std::size_t now = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder / "out")) ++now;
    CHECK(now == files);
  }
}

TEST_CASE("a standard output that is full is an error", "[app]") {
  Program program({"list"}, std::nullopt, "/dev/full");
  CHECK(program.wait().exit_code == 1);
}

TEST_CASE("a run whose table nobody reads keeps its files", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  Program program({"run", scenario, "--out", (folder / "out").string(), "--quiet"}, std::nullopt, "/dev/full");
  CHECK(program.wait().exit_code == 1);
  CHECK(fs::exists(folder / "out" / "result.json"));
  CHECK(fs::exists(folder / "out" / "report.html"));
}

TEST_CASE("a report written to a device goes into it", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  REQUIRE(run_program({"run", scenario, "--out", (folder / "out").string(), "--quiet"}).exit_code == 0);
  const fs::path device = folder / "device";  // a rename would replace the link, never the device
  fs::create_symlink("/dev/null", device);
  CHECK(run_program({"report", (folder / "out").string(), "-o", device.string()}).exit_code == 0);
  CHECK(fs::is_symlink(device));
}

TEST_CASE("numbers beyond this machine's memory are refused before they are made", "[app]") {
  const Folder folder;
  const std::string scenario = folder.file("small.yaml", small_scenario());
  for (const char* numbers : {"joined", "full"}) {
    const auto begin = std::chrono::steady_clock::now();
    const Finished refused = run_program({"run", scenario, "--out", (folder / "out").string(), "--only", "adam",
                                          "--numbers", numbers, "--set", "cluster.topology.nodes=1024", "--set",
                                          "training.learning.dimension=1000000000", "--quiet"});
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    INFO(refused.errors);
    CHECK(refused.exit_code == 1);
    CHECK(refused.errors.find("error: the numbers of 1024 ranks take 16.4 TB") != std::string::npos);
    CHECK(refused.errors.find("the largest dimension that fits is ") != std::string::npos);
  }
}
