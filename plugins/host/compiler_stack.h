// The stack on which plugins' code generators run.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"

namespace lathe::plugins {

// Calls `work`, which calls a code generator, with a stack of kStackBytes (base/thread.h), and
// returns its result. If this thread's stack is smaller, as all are where `ulimit -s` is small,
// `work` runs on another thread, in this thread's cancel scope (runtime/cancel.h). Meanwhile this
// one goes on looking whether its calls are to end, because Python says only to its main thread
// that Ctrl-C was pressed. If they are, `work` ends, and runtime::Interrupted is thrown.
// Fails with `thread-refused`. `work` must not throw.
absl::StatusOr<int32_t> OnCompilerStack(const std::function<int32_t()>& work);

}  // namespace lathe::plugins
