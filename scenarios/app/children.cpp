#include "scenarios/app/children.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "scenarios/app/interruption.hpp"
#include "scenarios/app/wire.hpp"

namespace scenarios {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto progress_period = std::chrono::milliseconds(100);
constexpr int tick_ms = 100;
constexpr auto grace =
    std::chrono::seconds(10);  // a child that does not stop by itself after an interruption is killed

enum class Frame : char { progress = 'P', answer = 'A', error = 'E', bug = 'B' };
struct Header {
  std::uint64_t size;
  Frame frame;
};

struct Child {
  std::size_t task;
  pid_t process;
  int pipe;
  std::string received;
  Ending ending;
};

void write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // nobody listens any more
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void send(int file, Frame frame, std::string_view body) {
  Header header{};
  header.size = body.size();
  header.frame = frame;
  write_all(file, reinterpret_cast<const char*>(&header), sizeof header);
  write_all(file, body.data(), body.size());
}

// The child's whole life. An exception must not unwind into the frames inherited from the parent: it becomes a message.
[[noreturn]] void live(const ChildTask& task, int pipe, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  obey_the_parent_only();
  Clock::time_point last{};
  const Tell tell = [&last, pipe](const sim::Progress& progress) {
    if (Clock::now() - last < progress_period) return;
    last = Clock::now();
    Packer body;
    body.number(progress);
    send(pipe, Frame::progress, body.take());
  };
  try {
    send(pipe, Frame::answer, task.work(tell));
  } catch (const models::Error& error) {
    send(pipe, Frame::error, packed(error.diagnostics()));
  } catch (const std::bad_alloc&) {
    send(pipe, Frame::error,
         packed({models::Diagnostic{{},
                                    "this machine's memory does not suffice for " + task.label,
                                    "use fewer --jobs, ranks or numeric elements"}}));
  } catch (const std::exception& error) {
    send(pipe, Frame::bug, error.what());
  }
  std::fflush(nullptr);
  _exit(0);
}

Child born(std::size_t index, const ChildTask& task) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    throw models::Error({}, fmt::format("no pipe to a child process: {}", std::strerror(errno)), "use fewer --jobs");
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0)
    throw models::Error({}, fmt::format("no child process: {}", std::strerror(errno)), "use fewer --jobs");
  if (process == 0) {
    close(ends[0]);
    live(task, ends[1], parent);
  }
  close(ends[1]);
  return Child{index, process, ends[0], {}, {}};
}

// Takes whole frames off what was received.
void read_frames(Child& child, Monitor& monitor) {
  while (child.received.size() >= sizeof(Header)) {
    Header header{};
    std::memcpy(&header, child.received.data(), sizeof header);
    const std::size_t whole = sizeof header + header.size;
    if (child.received.size() < whole) return;
    std::string body = child.received.substr(sizeof header, header.size);
    child.received.erase(0, whole);
    switch (header.frame) {
      case Frame::progress:
        monitor.progressed(child.task, Unpacker(body).number<sim::Progress>());
        break;
      case Frame::answer:
        child.ending.kind = Ending::Kind::answered;
        child.ending.text = std::move(body);
        break;
      case Frame::error:
        child.ending.kind = Ending::Kind::error;
        child.ending.diagnostics = unpacked_diagnostics(body);
        break;
      case Frame::bug:
        child.ending.kind = Ending::Kind::bug;
        child.ending.text = std::move(body);
        break;
    }
  }
}

// False at the end of the pipe.
bool receive(Child& child, Monitor& monitor) {
  std::array<char, 65536> buffer;
  const ssize_t size = ::read(child.pipe, buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  if (size == 0) return false;
  child.received.append(buffer.data(), static_cast<std::size_t>(size));
  read_frames(child, monitor);
  return true;
}

void bury(Child& child) {
  close(child.pipe);
  int state = 0;
  while (waitpid(child.process, &state, 0) < 0 && errno == EINTR) {
  }
  if (child.ending.kind != Ending::Kind::not_started) return;
  child.ending.kind = Ending::Kind::died;
  child.ending.text =
      WIFSIGNALED(state)
          ? fmt::format("its process was ended by signal {} ({})", WTERMSIG(state), strsignal(WTERMSIG(state)))
          : fmt::format("its process ended with code {} and no answer", WEXITSTATUS(state));
}

class Family {
 public:
  Family(const std::vector<ChildTask>& tasks, std::size_t jobs, Monitor& monitor)
      : tasks_(tasks), jobs_(jobs), monitor_(monitor), begun_(tasks.size(), 0), endings_(tasks.size()) {}
  ~Family() {  // an exception passes: nobody is left behind
    for (Child& child : living_) {
      kill(child.process, SIGKILL);
      bury(child);
    }
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  std::vector<Ending> run() {
    for (;;) {
      if (!stopping()) start_ready();
      if (living_.empty()) break;
      ask_to_stop();
      listen();
      monitor_.tick();
    }
    return std::move(endings_);
  }

 private:
  bool stopping() const { return interruption() || failed_; }

  void start_ready() {
    for (std::size_t i = 0; i < tasks_.size() && living_.size() < jobs_; ++i) {
      if (begun_[i] != 0) continue;
      const std::ptrdiff_t after = tasks_[i].after;
      if (after >= 0 && endings_[static_cast<std::size_t>(after)].kind != Ending::Kind::answered) continue;
      begun_[i] = 1;
      monitor_.started(i);
      living_.push_back(born(i, tasks_[i]));
    }
  }

  void ask_to_stop() {
    if (!stopping()) return;
    if (!asked_) {
      asked_ = Clock::now();
      for (const Child& child : living_) kill(child.process, SIGTERM);
    } else if (Clock::now() - *asked_ > grace) {
      for (const Child& child : living_) kill(child.process, SIGKILL);
    }
  }

  void listen() {
    std::vector<pollfd> polled;
    for (const Child& child : living_) polled.push_back({child.pipe, POLLIN, 0});
    if (poll(polled.data(), polled.size(), tick_ms) <= 0) return;
    for (std::size_t i = living_.size(); i-- > 0;) {
      if (polled[i].revents == 0 || receive(living_[i], monitor_)) continue;
      Child child = std::move(living_[i]);
      living_.erase(living_.begin() + static_cast<std::ptrdiff_t>(i));
      bury(child);
      failed_ = failed_ || child.ending.kind == Ending::Kind::error;
      endings_[child.task] = std::move(child.ending);
      monitor_.ended(child.task, endings_[child.task]);
    }
  }

  const std::vector<ChildTask>& tasks_;
  std::size_t jobs_;
  Monitor& monitor_;
  std::vector<char> begun_;
  std::vector<Ending> endings_;
  std::vector<Child> living_;
  std::optional<Clock::time_point> asked_;
  bool failed_ = false;
};

}  // namespace

std::vector<Ending> run_in_children(const std::vector<ChildTask>& tasks, int jobs, Monitor& monitor) {
  Family family(tasks, static_cast<std::size_t>(std::max(1, jobs)), monitor);
  return family.run();
}

}  // namespace scenarios
