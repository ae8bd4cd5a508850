// Programs of different kinds, which the tests of failures lower, build and run.
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
  kScan,     // a recurrence; for targets without threads only
  kSums,     // sums of rows across threads, from shared memory; for targets with threads only
};
const char* NameOf(Kernel kernel);
// The kernels that can be compiled for a target.
std::vector<Kernel> KernelsOf(const std::string& target);

// Writes and schedules the program anew at each call, named `name`. For a target with threads, all
// but kSums have the default schedule.
driver::ProgramToCompile Written(Kernel kernel, const std::string& name, const std::string& target);

// Returns the bytes that function `name` of `module` computes on a device of the target. Throws
// what calls throw.
std::string Computed(Kernel kernel, const runtime::Module& module, const std::string& name,
                     const std::string& target);

}  // namespace lathe::faults
