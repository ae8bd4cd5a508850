// Programs scheduled onto threads. The interpreter runs each thread of their kernels.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "tests/prove/run.h"

namespace lathe::prove {

// Lanes of a warp of the device that kernels are made for.
constexpr int64_t kWarp = 4;

// Checks the schedule before and after every pass of the pipelines for devices, with each of
// `sizes`. Then checks that the same program without threads, and with a device that is too small
// for it, is refused (counted in `*illegal`). Throws Failed ("kernels", "illegal:WHAT"), and what
// lowering throws if the schedule cannot be a kernel.
void CheckKernels(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                  const std::vector<std::vector<int64_t>>& sizes, uint64_t seed,
                  std::map<std::string, int64_t>* illegal = nullptr);

// Can the schedule be lowered for a device with threads?
bool IsKernel(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args);

// Is this a diagnostic that says that a schedule cannot be a kernel? All others mean a bug.
bool IsKernelRefusal(const std::string& name);

// Is this a diagnostic with which a random schedule may end on a real device? Either it is no
// kernel, or the device lacks something.
bool MayRefuseOnDevice(const std::string& name);

}  // namespace lathe::prove
