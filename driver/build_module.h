// Builds one module of many functions. Functions that do not name each other are compiled
// separately: on several threads at once, and each with its own key in the compile cache.
//
//   absl::StatusOr<runtime::Module> module =
//       BuildModule(loops, target, {}, {.cache = &CompileCache::Default()});
//
// The objects are merged into one artefact (driver/link/merge_objects.h), which is loaded, saved
// and exported as if the module had been compiled as a whole. docs/design/artifacts.md gives the
// reasons.
//
// Thread-safe. The result does not depend on the number of threads, nor on the contents of the
// cache. Errors in programs are thrown (lathe::Error), plugins fail with a status. If several
// functions fail, the error of the first one is reported.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"

namespace lathe::driver {

struct BuildOptions {
  CompileCache* cache = nullptr;  // null: no cache
  int threads = 0;                // 0: one per core that this process may use
  // How many of the functions that are compiled separately are done, and how many there are. Called
  // by the thread that compiled one, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
};

// The parts of `module` (at stage `tile`) that can be compiled separately, in the module's order.
// Functions of which one names the other stay in one part. Returns the module itself if it has only
// one part, or if it imports sources: any part may call their functions.
std::vector<ir::Module> PartsOf(const ir::Module& module);

// Compiles the parts and merges the results into one, for kObject and kModule. Compiles the module
// as a whole if the target's plugin makes no objects for hosts, or if the context watches passes or
// changes what they do.
absl::StatusOr<Compiled> CompileParts(const ir::Module& module, const target::Target& target,
                                      plugins::OutputKind output, const lower::PassContext& context,
                                      const BuildOptions& options);
// The same for programs, which become the functions of one module. There must be at least one
// program, all must have the same target, and their names must differ; else throws Error
// "build-programs".
absl::StatusOr<Compiled> CompileTogether(std::span<const ProgramToCompile> programs,
                                         plugins::OutputKind output, const BuildOptions& options);

// Compiles, and loads the result into this process.
absl::StatusOr<runtime::Module> BuildModule(const ir::Module& module, const target::Target& target,
                                            const lower::PassContext& context,
                                            const BuildOptions& options);
absl::StatusOr<runtime::Module> BuildTogether(std::span<const ProgramToCompile> programs,
                                              const BuildOptions& options);

}  // namespace lathe::driver
