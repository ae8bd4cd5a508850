// How threads get the GIL, and what happens to them when the interpreter ends
// (docs/design/python.md).
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "python/core/python.h"

namespace lathe::python {
namespace {

std::atomic<bool> g_finalizing{false};
std::thread::id g_finalizing_thread;
// Threads that have checked IsFinalizing but do not have the GIL yet.
std::atomic<int> g_entering{0};

// Daemon threads go on compiling while the process ends. Destructors must not destroy what they
// use, so in that case the process ends without destructors. Python has already flushed its streams
// here.
void EndBesideRunningCalls(int status, void*) {
  if (NoGil::InCalls() == 0) return;
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

bool IsFinalizing() { return g_finalizing || Py_IsInitialized() == 0; }

// A thread that saw "not finalizing" and took the GIL too late would use a dead interpreter.
void SetFinalizing() {
  g_finalizing_thread = std::this_thread::get_id();
  g_finalizing = true;
  while (g_entering != 0) {
    const NoGil others_get_it;
    std::this_thread::yield();
  }
  // Registered last, so it runs before all destructors.
  on_exit(EndBesideRunningCalls, nullptr);
}

bool IsLeftBehind() { return g_finalizing && g_finalizing_thread != std::this_thread::get_id(); }

// After a fork the child has none of the counted threads.
bool WatchForks() {
  return pthread_atfork(nullptr, nullptr, [] { g_entering = 0; }) == 0;
}

Gil::Gil() {
  g_entering.fetch_add(1);
  held_ = !IsFinalizing();
  if (held_) state_ = RunPython(PyGILState_Ensure);
  g_entering.fetch_sub(1);
}

std::atomic<int> NoGil::in_calls_{0};

}  // namespace lathe::python
