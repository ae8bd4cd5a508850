// Links shared objects with a compiler that the caller names, such as an Android NDK's clang. Use
// it for features that Lathe's own writer of shared objects lacks: constructors, thread-local
// storage, exceptions, static libraries.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lathe::driver {

struct CompilerLink {
  std::string compiler;             // a path, or a name on PATH; run directly, not by a shell
  std::vector<std::string> inputs;  // paths of objects and libraries
  std::string output;               // path
  std::vector<std::string>
      arguments;  // after the inputs: "--target=aarch64-linux-android24", "-lm", ...
  int timeout_seconds = 300;
};

// Runs `COMPILER -shared -fPIC -o OUTPUT INPUTS ARGUMENTS`. Fails with `compiler-not-found`,
// `compiler-failed` (with the exit status, the command and the end of the compiler's output) or
// `compiler-timeout` (the compiler and the processes that it started are stopped). Throws what Poll
// throws (base/poll.h). The compiler ends when this process ends, in whatever way. Thread-safe.
absl::Status LinkWithCompiler(const CompilerLink& link);

}  // namespace lathe::driver
