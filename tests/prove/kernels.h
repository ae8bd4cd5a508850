// Programs scheduled onto threads: kernels run in the interpreter, with threads as threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "tests/prove/run.h"

namespace lathe::prove {

// Lanes of a warp of the device that kernels are for.
constexpr int64_t kWarp = 4;

// The schedule before and after every pass of the pipelines for devices, at each of `sizes`; then
// the same program without threads, and with a device that is too small for it, both of which must
// be refused (counted in `*illegal`). Throws Failed ("kernels", "illegal:WHAT"), and what lowering
// throws where the schedule cannot be a kernel.
void CheckKernels(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                  const std::vector<std::vector<int64_t>>& sizes, uint64_t seed,
                  std::map<std::string, int64_t>* illegal = nullptr);

// Can the schedule be lowered for a device with threads?
bool IsKernel(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args);

// Diagnostics that say that a schedule cannot be a kernel, rather than that it was got wrong.
bool IsKernelRefusal(const std::string& name);

// Diagnostics that a random schedule may end with on a real device: it is no kernel, or the device
// lacks something.
bool MayRefuseOnDevice(const std::string& name);

}  // namespace lathe::prove
