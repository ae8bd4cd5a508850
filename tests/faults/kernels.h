// Five programs of different make: what the tests of failures lower, build and run.
#pragma once

#include <string>
#include <vector>

#include "driver/cache/compile_cache.h"
#include "runtime/module.h"

namespace lathe::faults {

enum class Kernel {
  kLayer,    // a product and ReLU in tiles, for any number of rows
  kSoftmax,  // by its template
  kBlur,     // two stages, one computed at the rows of the other, rows in parallel
  kArgMax,   // two results, by the default schedule
  kScan,     // a recurrence
};
inline constexpr Kernel kKernels[] = {Kernel::kLayer, Kernel::kSoftmax, Kernel::kBlur,
                                      Kernel::kArgMax, Kernel::kScan};
const char* NameOf(Kernel kernel);

// Written, scheduled, and named `name`, anew at each call; for this machine's CPU.
driver::ProgramToCompile Written(Kernel kernel, const std::string& name);

// The bytes of what function `name` of `module` computes. Throws what calls throw.
std::string Computed(Kernel kernel, const runtime::Module& module, const std::string& name);

}  // namespace lathe::faults
