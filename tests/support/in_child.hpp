#pragma once
// A simulation in its own process: SimGrid allows one in each.

#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace support {

// What `body` returns, run in a forked child. Fork before the parent starts threads.
template <class Body>
std::string in_child(const Body& body) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no fork");
  if (child == 0) {
    int code = 0;
    try {
      const std::string text = body();
      for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t count = write(ends[1], text.data() + sent, text.size() - sent);
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      code = 1;
    }
    _exit(code);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("the child failed");
  return text;
}

}  // namespace support
