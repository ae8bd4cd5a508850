// Random schedules: any primitive on any stage and axis, whether it fits or not. What is refused
// with a diagnostic is left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "schedule/schedule.h"

namespace lathe::prove {

struct ScheduleCounts {
  std::map<std::string, int64_t> applied;  // by primitive
  std::map<std::string, int64_t> refused;  // by the diagnostic's name
};

// Applies up to `steps` random primitives. Steps are drawn from `seed` alone, the same on every
// machine. Throws what a primitive throws other than Error.
void ApplyRandomSteps(schedule::Schedule& schedule, uint64_t seed, int steps,
                      ScheduleCounts* counts);

// Puts the program on threads of a device: blocks, threads, virtual threads, shared and private
// memory, reductions across threads. What is refused with a diagnostic is left out.
// `warps`: the device has warps of 4, whose memory is used as well.
void ApplyKernelSteps(schedule::Schedule& schedule, uint64_t seed, ScheduleCounts* counts,
                      bool warps = false);

}  // namespace lathe::prove
