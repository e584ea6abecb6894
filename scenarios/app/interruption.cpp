#include "scenarios/app/interruption.hpp"

#include <csignal>
#include <unistd.h>

#include "scenarios/app/exit_codes.hpp"

namespace scenarios {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // touched by a signal handler

extern "C" void note_interruption(int) {
  if (interrupted.exchange(true)) _exit(exit_interrupted);
}

extern "C" void note_request(int) { interrupted = true; }

void on_signal(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

void watch_for_interruption() {
  on_signal(SIGINT, note_interruption);
  on_signal(SIGTERM, note_interruption);
  // A terminal that closes; under nohup, which has it ignored, it stays ignored.
  struct sigaction inherited {};
  if (sigaction(SIGHUP, nullptr, &inherited) == 0 && inherited.sa_handler != SIG_IGN)
    on_signal(SIGHUP, note_interruption);
}

void outlive_readers() {
  on_signal(SIGPIPE, SIG_IGN);
  on_signal(SIGXFSZ, SIG_IGN);
}

void obey_the_parent_only() {
  on_signal(SIGINT, SIG_IGN);
  on_signal(SIGHUP, SIG_IGN);
  on_signal(SIGTERM, note_request);
}

const std::atomic<bool>& interruption() { return interrupted; }

}  // namespace scenarios
