// How long a compilation may take.
#pragma once

#include <chrono>
#include <optional>

#include "lower/pass.h"
#include "runtime/cancel.h"

namespace lathe::driver {

// As long as it lives, what this thread compiles and links, and what others do for it (OnThreads),
// is to be done some seconds after it was made. Then it ends with `compile-time-limit`, thrown as
// runtime::CallError of the code kDeadlineExceeded, which says what was being done.
//
// Passes look at every thousandth node or so, LLVM between its passes, compilers that are run as
// programs are ended. A plugin that does not look (sdk::Poll) is waited for. Limits nest: the one
// that ends first counts. Lives on the stack; made and destroyed by one thread.
class TimeLimit : private runtime::Cancellation {
 public:
  using Clock = std::chrono::steady_clock;

  // `seconds` <= 0: none. `begun`: from when on they count; by default from now on. Throws Error
  // "compile-time-limit-value" where it is no number.
  explicit TimeLimit(double seconds, Clock::time_point begun = {});
  // That of the context.
  explicit TimeLimit(const lower::PassContext& context)
      : TimeLimit(context.time_limit, context.time_begun) {}

 private:
  runtime::ErrorRef Late() const override;

  const double seconds_;
  std::optional<runtime::CancelScope> scope_;
};

}  // namespace lathe::driver
