#include "runtime/rpc/janitor.h"

#include <utility>

namespace lathe::runtime::rpc {

Janitor::Janitor() : thread_([this] { Run(); }) {}

Janitor::~Janitor() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Janitor::Do(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
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
