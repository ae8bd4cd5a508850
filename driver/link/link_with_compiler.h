// Links shared objects with a compiler that the caller names, such as an Android NDK's clang: for
// what our own writer of shared objects leaves out (constructors, thread-local storage, exceptions,
// static libraries).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lathe::driver {

struct CompilerLink {
  std::string compiler;             // a path, or a name on PATH; run directly, never by a shell
  std::vector<std::string> inputs;  // paths of objects and libraries
  std::string output;               // path
  std::vector<std::string>
      arguments;  // after the inputs: "--target=aarch64-linux-android24", "-lm", ...
  int timeout_seconds = 300;
};

// Runs `COMPILER -shared -fPIC -o OUTPUT INPUTS ARGUMENTS`. Fails with `compiler-not-found`,
// `compiler-failed` (with its exit status, the command and the end of what it printed) or
// `compiler-timeout` (it is stopped then, with what it started). Throws what ends the caller's work
// (base/poll.h). However this process ends, the compiler ends with it. Thread-safe.
absl::Status LinkWithCompiler(const CompilerLink& link);

}  // namespace lathe::driver
