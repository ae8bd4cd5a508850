// Compiles candidates of a search, which may be of any kind: schedules that do not apply, loops
// that take minutes to compile, code that needs more memory than there is.
#pragma once

#include <optional>

#include "driver/cache/compile_cache.h"
#include "driver/compiled.h"
#include "tune/record.h"

namespace lathe::tune {

struct BuildLimits {
  double seconds = 10;
  // The code generator works in a process of its own (docs/design/isolate.md): if it ends there,
  // the candidate has failed, and not the search. Without it a candidate costs some 20 ms less.
  bool isolate = true;
};

struct BuildResult {
  driver::Compiled code;  // if there is no failure
  std::optional<Failure> failure;
  double seconds = 0;  // what it took
};

// Lowers and compiles; no cache is asked. Failures are of these kinds: schedule (it does not
// lower), build, timeout, out-of-memory. Throws only what ends the caller's own work
// (base/poll.h). Thread-safe.
BuildResult BuildCandidate(const driver::ProgramToCompile& candidate,
                           const BuildLimits& limits = {});

}  // namespace lathe::tune
