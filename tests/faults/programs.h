// The programs that the tests of failures run again and again: lower, build, run, load and import.
#pragma once

#include <string>
#include <vector>

#include "tests/faults/kernels.h"
#include "tests/faults/program.h"

namespace lathe::faults {

// The programs for one kernel, each independent. `folder` must exist; the programs create files in
// it. `target` is a target's text ("opencl"); kernels run on its first device.
std::vector<Program> ProgramsOf(Kernel kernel, const std::string& folder,
                                const std::string& target = "llvm");
// Those of all kernels that can be compiled for the target.
std::vector<Program> ProgramsOfKernels(const std::string& folder, const std::string& target);
// Programs with more threads and more files.
std::vector<Program> ProgramsOfTheSystem(const std::string& folder);

}  // namespace lathe::faults
