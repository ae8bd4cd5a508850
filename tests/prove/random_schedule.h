// Random schedules: any primitive on any stage and axis, whether it fits or not. Steps that are
// refused with a diagnostic are left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "schedule/schedule.h"

namespace lathe::prove {

struct ScheduleCounts {
  std::map<std::string, int64_t> applied;  // number of steps by primitive
  std::map<std::string, int64_t> refused;  // number of refusals by the diagnostic's name
};

// Applies up to `steps` random primitives. The steps depend on `seed` alone and are the same on
// every machine. Throws what a primitive throws other than Error.
void ApplyRandomSteps(schedule::Schedule& schedule, uint64_t seed, int steps,
                      ScheduleCounts* counts);

// Puts the program on threads of a device: blocks, threads, virtual threads, shared and private
// memory, reductions across threads. Steps that are refused with a diagnostic are left out. If
// `warps` is set, the device has warps of 4, and warp memory is used as well.
void ApplyKernelSteps(schedule::Schedule& schedule, uint64_t seed, ScheduleCounts* counts,
                      bool warps = false);

}  // namespace lathe::prove
