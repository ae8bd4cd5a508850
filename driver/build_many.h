// Compiles several programs at once.
#pragma once

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"

namespace lathe::driver {

// Calls BuildProgram for each program and returns the results in order. Uses `threads` threads (0:
// one per core that this process may use), of which the calling thread is one; fewer if the system
// refuses some. The result does not depend on the number of threads, because programs share
// nothing. If programs throw an Error, the first program's Error is thrown after all are done. Each
// program has a status of its own. Thread-safe; `cache` may be null.
std::vector<absl::StatusOr<runtime::Module>> BuildMany(std::span<const ProgramToCompile> programs,
                                                       CompileCache* cache, int threads = 0);
// The same with FindOrCompile.
std::vector<absl::StatusOr<Compiled>> CompileMany(std::span<const ProgramToCompile> programs,
                                                  plugins::OutputKind output, CompileCache* cache,
                                                  int threads = 0);

}  // namespace lathe::driver
