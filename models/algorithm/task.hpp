#pragma once
// Task: a worker's coroutine. No coroutine resumes another: a finished Task puts its continuation on the core's ready
// list, only the core resumes (symmetric transfer is a tail call at GCC -O2 only; elsewhere deep chains overflow the
// stack).

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

namespace models {

// The core, as coroutines see it.
class Resumer {
 public:
  virtual ~Resumer() = default;
  virtual void resume_later(std::coroutine_handle<> ready) = 0;
};

class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    void await_suspend(Handle finished) const noexcept;
    void await_resume() const noexcept {}
  };
  struct promise_type {
    Resumer* resumer = nullptr;
    std::coroutine_handle<> continuation;
    std::exception_ptr error;
    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    FinalAwaiter final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() { error = std::current_exception(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // For the core: start a root task, see its end, its exception.
  void start(Resumer& resumer) {
    handle_.promise().resumer = &resumer;
    resumer.resume_later(handle_);
  }
  bool done() const { return handle_.done(); }
  void rethrow_if_failed() const {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

  // co_await child_task: name the Task in a local first (see house style, section 8), then await it.
  bool await_ready() const noexcept { return false; }
  void await_suspend(Handle parent) noexcept {
    handle_.promise().resumer = parent.promise().resumer;
    handle_.promise().continuation = parent;
    parent.promise().resumer->resume_later(handle_);
  }
  void await_resume() const { rethrow_if_failed(); }

 private:
  explicit Task(Handle handle) : handle_(handle) {}
  Handle handle_;
};

inline void Task::FinalAwaiter::await_suspend(Handle finished) const noexcept {
  promise_type& promise = finished.promise();
  if (promise.continuation) promise.resumer->resume_later(promise.continuation);
}

}  // namespace models
