#pragma once
// The built program as its users start it: a child process with its output, its exit code, and signals sent while it
// runs.

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace support {

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A new empty folder, gone at the end.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "windtunnel_test_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

struct Finished {
  int exit_code = -1;  // -1: ended by a signal
  std::string out, errors;
};

class Program {
 public:
  // `largest_file`: the size in bytes at which writing fails, as on a full disk. `out`: where standard output goes
  // instead of a file.
  explicit Program(const std::vector<std::string>& words, std::optional<rlim_t> largest_file = {},
                   const char* out = nullptr) {
    process_ = fork();
    if (process_ != 0) return;
    redirect(STDOUT_FILENO, out != nullptr ? std::filesystem::path(out) : folder_ / "out");
    redirect(STDERR_FILENO, folder_ / "errors");
    setenv("WINDTUNNEL_HOME", SOURCE_DIR, 1);
    signal(SIGHUP, SIG_DFL);  // ignored when the tests run under nohup
    if (largest_file) {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{*largest_file, *largest_file};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::string program = BINARY_DIR "/windtunnel";
    std::vector<std::string> copies = words;
    std::vector<char*> raw{program.data()};
    for (std::string& word : copies) raw.push_back(word.data());
    raw.push_back(nullptr);
    execv(program.c_str(), raw.data());
    _exit(127);
  }
  ~Program() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal_number) const { ::kill(process_, signal_number); }
  bool running() {
    if (process_ > 0 && waitpid(process_, &state_, WNOHANG) == process_) process_ = -1;
    return process_ > 0;
  }
  // Its children at this moment.
  std::vector<pid_t> children() const {
    std::ifstream list("/proc/" + std::to_string(process_) + "/task/" + std::to_string(process_) + "/children");
    std::vector<pid_t> all;
    for (pid_t child = 0; list >> child;) all.push_back(child);
    return all;
  }
  Finished wait() {
    if (process_ > 0) waitpid(process_, &state_, 0);
    process_ = -1;
    return {WIFEXITED(state_) ? WEXITSTATUS(state_) : -1, content(folder_ / "out"), content(folder_ / "errors")};
  }

 private:
  static void redirect(int number, const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, number);
    close(file);
  }
  Folder folder_;
  pid_t process_ = -1;
  int state_ = 0;
};

inline Finished run_program(const std::vector<std::string>& words) {
  Program program(words);
  return program.wait();
}

}  // namespace support
