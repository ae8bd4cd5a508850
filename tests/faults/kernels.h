// Five programs of different kinds, which the tests of failures lower, build and run.
#pragma once

#include <string>
#include <vector>

#include "driver/cache/compile_cache.h"
#include "runtime/module.h"

namespace lathe::faults {

enum class Kernel {
  kLayer,    // a matrix product and ReLU in tiles, for any number of rows
  kSoftmax,  // scheduled by its template
  kBlur,     // two stages, one computed at the rows of the other; rows run in parallel
  kArgMax,   // two results, with the default schedule
  kScan,     // a recurrence
};
inline constexpr Kernel kKernels[] = {Kernel::kLayer, Kernel::kSoftmax, Kernel::kBlur,
                                      Kernel::kArgMax, Kernel::kScan};
const char* NameOf(Kernel kernel);

// Writes and schedules the program anew at each call, named `name`, for this machine's CPU.
driver::ProgramToCompile Written(Kernel kernel, const std::string& name);

// Returns the bytes that function `name` of `module` computes. Throws what calls throw.
std::string Computed(Kernel kernel, const runtime::Module& module, const std::string& name);

}  // namespace lathe::faults
