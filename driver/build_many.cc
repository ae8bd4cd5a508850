#include "driver/build_many.h"

#include "driver/on_threads.h"

namespace lathe::driver {

std::vector<absl::StatusOr<runtime::Module>> BuildMany(std::span<const ProgramToCompile> programs,
                                                       CompileCache* cache, int threads) {
  return MakeEach<runtime::Module>(programs.size(), threads,
                                   [&](size_t i) { return BuildProgram(programs[i], cache); });
}

std::vector<absl::StatusOr<Compiled>> CompileMany(std::span<const ProgramToCompile> programs,
                                                  plugins::OutputKind output, CompileCache* cache,
                                                  int threads) {
  return MakeEach<Compiled>(programs.size(), threads,
                            [&](size_t i) { return FindOrCompile(programs[i], output, cache); });
}

}  // namespace lathe::driver
