// Several programs compiled at once.
#pragma once

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"

namespace lathe::driver {

// BuildProgram of each, in order, on `threads` threads (0: one per core that this process may use);
// the calling thread is one of them, and there are fewer where the system refuses some. What is
// compiled does not depend on the number of threads: programs share nothing. An Error that a
// program throws is thrown when all are done; of several programs' the first one's. Statuses are
// each program's own. Thread-safe; `cache` may be null.
std::vector<absl::StatusOr<runtime::Module>> BuildMany(std::span<const ProgramToCompile> programs,
                                                       CompileCache* cache, int threads = 0);
// FindOrCompile of each, likewise.
std::vector<absl::StatusOr<Compiled>> CompileMany(std::span<const ProgramToCompile> programs,
                                                  plugins::OutputKind output, CompileCache* cache,
                                                  int threads = 0);

}  // namespace lathe::driver
