#include "scenarios/app/output_folder.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "models/base/error.hpp"

namespace scenarios {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view temporary_suffix = ".part";
constexpr std::size_t probe_size = 65536;  // more than a file system keeps inside its own entries

models::Error cannot_write(const fs::path& path, int reason) {
  const char* hint = reason == ENOSPC || reason == EDQUOT
                         ? "the disk is full: make room or name another folder with --out"
                         : "name another folder with --out";
  return models::Error({path.string(), 0, 0, {}}, fmt::format("cannot be written: {}", std::strerror(reason)), hint);
}

// Hidden, with the process in its name: two runs into one folder do not meet.
fs::path temporary(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}{}", path.filename().string(), getpid(), temporary_suffix);
}

// Left behind by processes that were killed.
void remove_orphans(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    if (name.front() != '.' || !name.ends_with(temporary_suffix)) continue;
    name.resize(name.size() - temporary_suffix.size());
    const long process = std::atol(name.substr(name.rfind('.') + 1).c_str());
    if (process > 0 && kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) fs::remove(entry.path(), ignored);
  }
}

// `shown` is what the user knows the file as.
void write_file(const fs::path& path, std::string_view content, const fs::path& shown) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) throw cannot_write(shown, errno);
  int reason = 0;
  while (!content.empty() && reason == 0) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written >= 0)
      content.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      reason = errno;
  }
  // A file system may find out only here that there is no room.
  if (reason == 0 && ::fsync(file) != 0 && errno != EINVAL && errno != EROFS) reason = errno;
  if (::close(file) != 0 && reason == 0) reason = errno;
  if (reason != 0) throw cannot_write(shown, reason);
}

}  // namespace

void replace_file(const fs::path& path, std::string_view content) {
  std::error_code failed;
  const fs::file_status now = fs::status(path, failed);
  if (fs::exists(now) && !fs::is_regular_file(now)) {  // a renamed file would take the place of the device or pipe
    write_file(path, content, path);
    return;
  }
  const fs::path part = temporary(path);
  try {
    write_file(part, content, path);
  } catch (...) {
    fs::remove(part, failed);
    throw;
  }
  fs::rename(part, path, failed);
  if (failed) throw cannot_write(path, failed.value());
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw models::Error({"standard output", 0, 0, {}}, fmt::format("cannot be written: {}", std::strerror(errno)));
}

void say(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size()) std::clearerr(stderr);
}

OutputFolder::OutputFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw cannot_write(folder_, failed.value());
  remove_orphans(folder_);
  const fs::path probe = temporary(folder_ / "probe");
  try {
    write_file(probe, std::string(probe_size, '\0'), folder_);
  } catch (...) {
    fs::remove(probe, failed);
    throw;
  }
  fs::remove(probe, failed);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  for (const auto& [part, path] : staged_) fs::remove(part, ignored);
}

// Files of a long simulation are worth keeping when nobody reads the table.
void OutputFolder::print(std::string_view text) {
  if (unprinted_) return;
  try {
    scenarios::print(text);
  } catch (const models::Error& error) {
    unprinted_ = error;
  }
}

void OutputFolder::file(std::string_view name, std::string_view content) {
  models::ensure(!name.empty() && name.find('/') == std::string_view::npos, "the name of an output holds no folder");
  const fs::path path = folder_ / name;
  const fs::path part = temporary(path);
  staged_.emplace_back(part, path);
  write_file(part, content, path);
}

void OutputFolder::commit() {
  for (const auto& [part, path] : staged_) {
    std::error_code failed;
    fs::rename(part, path, failed);
    if (failed) throw cannot_write(path, failed.value());
    committed_.push_back(path);
  }
  staged_.clear();
  if (unprinted_) throw models::Error(*unprinted_);
}

}  // namespace scenarios
