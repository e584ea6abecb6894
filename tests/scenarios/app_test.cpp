// The program end to end: exit codes, what stands in --out afterwards, whatever happens on the way.

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/program.hpp"

namespace {

namespace fs = std::filesystem;
using support::content;
using support::Finished;
using support::Folder;
using support::Program;
using support::run_program;

// Four GPUs, two algorithms, two bandwidths: a second at most.
std::string small_scenario(const std::string& more_training = "") {
  return R"(name: small
seed: 1
cluster:
  topology: {shape: star, nodes: 4, link: {bandwidth: 10 Gb/s, latency: 25 us}}
  gpu: v100_pcie_16gb
training:
  model: bert_base
  sequence_length: 128
  batch: {micro: 8}
  precision: fp16
  steps: 100
  learning: {objective: layered_quadratic, dimension: 3200, condition: 100, noise: {std: 0.1, shape: curvature, per: worker_step}, target: {relative_gap: 1e-1}}
)" + more_training +
         R"(variants:
  adam:        {training.algorithm: {name: adam, learning_rate: {peak: 0.01, schedule: cosine}}}
  onebit_adam: {training.algorithm: {name: onebit_adam, freeze_step: 50, learning_rate: {peak: 0.01, schedule: cosine}}}
sweep:
  cluster.topology.link.bandwidth: [1 Gb/s, 10 Gb/s]
)";
}

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

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

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
