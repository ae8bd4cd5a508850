// Compiles candidates of a search, which may be of any kind: schedules that do not apply, loops
// that take minutes to compile, code that needs more memory than there is.
#pragma once

#include <cstddef>
#include <optional>

#include "driver/cache/compile_cache.h"
#include "driver/compiled.h"
#include "tune/record.h"

namespace lathe::tune {

// What code of ordinary schedules stays below: of more the code generator makes less than 100 in a
// second, and registers that are kept in memory.
inline constexpr size_t kMostNodes = 12000;

struct BuildLimits {
  double seconds = 10;
  // Nodes of the loops when they are unrolled, above which nothing is generated: a tile of too many
  // registers costs seconds of compiling, only to be slow. 0: no limit.
  size_t most_nodes = 0;
  // The code generator works in a process of its own (docs/design/isolate.md): if it ends there,
  // the candidate has failed, and not the search. Without it a candidate costs some 20 ms less.
  bool isolate = true;
};

struct BuildResult {
  driver::Compiled code;  // if there is no failure
  std::optional<Failure> failure;
  double seconds = 0;  // what it took
  size_t nodes = 0;    // of the loops when they are unrolled, as far as the limit counts
};

// Lowers and compiles; no cache is asked. Failures are of these kinds: schedule (it does not
// lower), build, too-large, timeout, out-of-memory. Throws only what ends the caller's own work
// (base/poll.h). Thread-safe.
BuildResult BuildCandidate(const driver::ProgramToCompile& candidate,
                           const BuildLimits& limits = {});

}  // namespace lathe::tune
