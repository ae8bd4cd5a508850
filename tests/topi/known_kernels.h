// Named kernels whose schedules are recorded in testdata/schedules.txt: every template, at sizes
// that are tiny, odd, whole, and large enough for threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "target/machine.h"
#include "topi/cpu/kernel.h"

namespace lathe::topi {

struct KnownKernel {
  std::string name;
  std::function<cpu::Kernel(const target::Machine&)> make;
};

// Returns the kernels. No two have the same name.
std::vector<KnownKernel> KnownKernels();

}  // namespace lathe::topi
