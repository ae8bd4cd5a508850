// One module of many functions, each compiled by itself: at once on several threads, and found in
// the compile cache by a key of its own.
//
//   absl::StatusOr<runtime::Module> module =
//       BuildModule(loops, target, {}, {.cache = &CompileCache::Default()});
//
// The objects become one (driver/link/merge_objects.h): one artefact, which is loaded, saved and
// exported as if it had been compiled whole. docs/design/artifacts.md has the reasons.
//
// Thread-safe. What is made does not depend on the number of threads, nor on what the cache had.
// Errors of programs are thrown (lathe::Error), plugins fail with a status; of several functions'
// the first one's counts.
#pragma once

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"

namespace lathe::driver {

struct BuildOptions {
  CompileCache* cache = nullptr;  // null: without one
  int threads = 0;                // 0: one per core that this process may use
};

// The parts of `module` (at stage `tile`) that compile alone, in its order: functions that name
// each other stay together. The module itself where it has one part, or where its parts cannot be
// told apart: it imports sources, whose functions all of them may call.
std::vector<ir::Module> PartsOf(const ir::Module& module);

// What the plugin makes of the parts, as one: kObject and kModule. Targets whose plugin makes no
// objects for hosts, and contexts that watch or change what passes do, are compiled whole.
absl::StatusOr<Compiled> CompileParts(const ir::Module& module, const target::Target& target,
                                      plugins::OutputKind output, const lower::PassContext& context,
                                      const BuildOptions& options);
// The same for programs, which become the functions of one module. All are for one target; their
// names differ. Throws Error "build-programs" where that is not so.
absl::StatusOr<Compiled> CompileTogether(std::span<const ProgramToCompile> programs,
                                         plugins::OutputKind output, const BuildOptions& options);

// Compiled and loaded into this process.
absl::StatusOr<runtime::Module> BuildModule(const ir::Module& module, const target::Target& target,
                                            const lower::PassContext& context,
                                            const BuildOptions& options);
absl::StatusOr<runtime::Module> BuildTogether(std::span<const ProgramToCompile> programs,
                                              const BuildOptions& options);

}  // namespace lathe::driver
