#include "runtime/rpc/janitor.h"

#include <utility>

#include "runtime/start_thread.h"

namespace lathe::runtime::rpc {

Janitor::~Janitor() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Janitor::Do(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) {
      absl::StatusOr<Thread> started = StartThread("cleaning up", [this] { Run(); });
      if (started.ok()) thread_ = *std::move(started);
    }
    if (thread_.joinable()) tasks_.push_back(std::exchange(task, nullptr));
  }
  changed_.notify_all();
  if (task) task();
}

void Janitor::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stops_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = {};  // what it owned goes here, too
    lock.lock();
  }
}

}  // namespace lathe::runtime::rpc
