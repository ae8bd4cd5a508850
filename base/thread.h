// Threads whose stack has a known size. The stack of a std::thread is as large as the
// system's limit for stacks (`ulimit -s`) says, which may be a few kilobytes; compilers and kernels
// then end by a signal.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace lathe {

// What Linux gives a process without other settings, and what is tested all the time.
inline constexpr size_t kStackBytes = size_t{8} << 20;

// As std::thread, with a stack of kStackBytes.
class Thread {
 public:
  Thread() = default;
  // Runs `body` on a new thread. Throws std::system_error if the system refuses one. An exception
  // that leaves `body` ends the process.
  template <class Body, class = std::enable_if_t<!std::is_same_v<std::decay_t<Body>, Thread>>>
  explicit Thread(Body&& body) {
    auto owned = std::make_unique<std::decay_t<Body>>(std::forward<Body>(body));
    Start(&Main<std::decay_t<Body>>, owned.get());
    static_cast<void>(owned.release());  // Main has it
  }
  Thread(Thread&& other) noexcept
      : handle_(other.handle_), joinable_(std::exchange(other.joinable_, false)) {}
  // Ends the process if this thread was neither joined nor detached. So does the destructor.
  Thread& operator=(Thread&& other) noexcept {
    if (joinable_) std::terminate();
    handle_ = other.handle_;
    joinable_ = std::exchange(other.joinable_, false);
    return *this;
  }
  ~Thread() {
    if (joinable_) std::terminate();
  }

  bool joinable() const { return joinable_; }
  void join();
  void detach();

 private:
  // Not noexcept: Python ends threads that come too late by unwinding them (pthread_exit).
  template <class Body>
  static void* Main(void* body) {
    const std::unique_ptr<Body> owned(static_cast<Body*>(body));
    (*owned)();
    return nullptr;
  }
  void Start(void* (*entry)(void*), void* body);

  pthread_t handle_{};
  bool joinable_ = false;
};

// Whether this thread's stack is as large as kStackBytes. True also if nobody knows.
bool HasWholeStack();

// Calls `work` with a stack of kStackBytes, and returns its result: on this thread if its stack is
// as large as that, else on a Thread. `work` must not throw. Throws std::system_error if the system
// refuses the thread.
int OnWholeStack(const std::function<int()>& work);

}  // namespace lathe
