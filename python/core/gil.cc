// How threads come to the GIL, and what becomes of them when the interpreter goes away
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
// Threads between their look at IsFinalizing and the GIL.
std::atomic<int> g_entering{0};

// Daemon threads compile on while the process ends: what they use must not be destroyed under them.
// Then the process ends without destructors. Python itself is through with its streams here.
void EndBesideRunningCalls(int status, void*) {
  if (NoGil::InCalls() == 0) return;
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

bool IsFinalizing() { return g_finalizing || Py_IsInitialized() == 0; }

// A thread that saw "not finalizing" and came late would use an interpreter that is gone.
void SetFinalizing() {
  g_finalizing_thread = std::this_thread::get_id();
  g_finalizing = true;
  while (g_entering != 0) {
    const NoGil others_get_it;
    std::this_thread::yield();
  }
  // Asked for last, and so called before any destructor.
  on_exit(EndBesideRunningCalls, nullptr);
}

bool IsLeftBehind() { return g_finalizing && g_finalizing_thread != std::this_thread::get_id(); }

// The threads that others counted do not exist in a child.
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
