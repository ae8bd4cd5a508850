#include "driver/on_threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>

#include "base/poll.h"
#include "base/thread.h"
#include "runtime/cancel.h"

namespace lathe::driver {
namespace {

int UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

void OnThreads(size_t count, int threads, const std::function<void(size_t)>& work) {
  std::vector<std::exception_ptr> thrown(count);
  std::exception_ptr interrupted;
  std::once_flag once;
  std::atomic<size_t> next{0};
  runtime::Cancellation all;
  const auto run = [&] {
    const runtime::CancelScope scope(all);
    for (size_t i = next++; i < count; i = next++) {
      try {
        PollNow();
        work(i);
      } catch (const Interruption&) {
        std::call_once(once, [&] { interrupted = std::current_exception(); });
        all.Cancel();
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  runtime::CancelScope* const callers = runtime::CancelScope::Current();
  const auto run_for_caller = [&] {
    const runtime::CancelScope::Borrowed borrowed(callers);
    run();
  };
  const size_t wanted = std::min(count, static_cast<size_t>(threads > 0 ? threads : UsableCores()));
  std::vector<Thread> others;
  others.reserve(wanted);
  // If the system refuses a thread, the threads that exist do the work.
  try {
    for (size_t i = 1; i < wanted; ++i) others.emplace_back(run_for_caller);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  run();
  for (Thread& other : others) other.join();
  if (interrupted) std::rethrow_exception(interrupted);
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace lathe::driver
