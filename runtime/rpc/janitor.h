// Does what may take long and nobody waits for, so that the thread of a server has time for others.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "base/thread.h"

namespace lathe::runtime::rpc {

// A thread that carries out tasks in turn. Thread-safe. The destructor returns when all are done.
class Janitor {
 public:
  Janitor() = default;
  ~Janitor();
  Janitor(const Janitor&) = delete;
  Janitor& operator=(const Janitor&) = delete;

  // `task` must not throw. The caller carries it out itself while the system refuses the thread.
  void Do(std::function<void()> task);

 private:
  void Run();

  std::mutex mutex_;  // what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stops_ = false;
  Thread thread_;  // since the first task
};

}  // namespace lathe::runtime::rpc
