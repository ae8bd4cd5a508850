#include "plugins/host/compiler_stack.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/thread.h"
#include "runtime/cancel.h"
#include "runtime/error_object.h"
#include "runtime/raise.h"
#include "runtime/start_thread.h"

namespace lathe::plugins {

absl::StatusOr<int32_t> OnCompilerStack(const std::function<int32_t()>& work) {
  if (HasWholeStack()) return work();
  runtime::CancelScope* const scope = runtime::CancelScope::Current();
  runtime::Cancellation stop;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  int32_t result = 0;
  absl::StatusOr<Thread> thread =
      runtime::StartThread("a compiler with a stack of 8 MiB, which its caller does not have", [&] {
        const runtime::CancelScope::Borrowed borrowed(scope);
        const runtime::CancelScope stoppable(stop);
        result = work();
        const std::lock_guard lock(mutex);
        ended = true;
        changed.notify_one();
      });
  if (!thread.ok()) return thread.status();
  runtime::ErrorRef reason;
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, std::chrono::milliseconds(20), [&] { return ended; })) {
    if (stop.cancelled() || runtime::CancelScope::Look(scope) == 0) continue;
    reason = runtime::TakePendingError();
    stop.Cancel();
  }
  lock.unlock();
  thread->join();
  if (!stop.cancelled()) return result;
  try {
    runtime::ThrowError(*reason.get());
  } catch (const runtime::CallError& said) {
    throw runtime::Interrupted(said);
  }
}

}  // namespace lathe::plugins
