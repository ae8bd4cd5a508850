// Limits the time of a compilation.
#pragma once

#include <chrono>
#include <optional>

#include "lower/pass.h"
#include "runtime/cancel.h"

namespace lathe::driver {

// While it lives, it limits the compiling and linking of this thread, and of the threads that help
// it (OnThreads), to some seconds since it was made. After that the work ends with
// `compile-time-limit`, thrown as runtime::CallError with code kDeadlineExceeded. The error says
// which step was running.
//
// Passes check the limit about every thousand nodes, LLVM checks it between its passes, and
// compilers that run as programs are stopped. If a plugin does not check (sdk::Poll), the limit
// waits for it. Limits nest: the one that ends first counts. Keep it on the stack; the same thread
// must make and destroy it.
class TimeLimit : private runtime::Cancellation {
 public:
  using Clock = std::chrono::steady_clock;

  // `seconds` <= 0: no limit. The seconds count from `begun`, by default from now. Throws Error
  // "compile-time-limit-value" if `seconds` is NaN.
  explicit TimeLimit(double seconds, Clock::time_point begun = {});
  // The limit that the context sets.
  explicit TimeLimit(const lower::PassContext& context)
      : TimeLimit(context.time_limit, context.time_begun) {}

 private:
  runtime::ErrorRef Late() const override;

  const double seconds_;
  std::optional<runtime::CancelScope> scope_;
};

}  // namespace lathe::driver
