// Default schedules for targets whose kernels run on threads: GPUs, OpenCL devices.
//
//   Config config;
//   Schedule made = ScheduleForThreads({c->op}, machine, config);
//
// Each stage becomes a kernel with a thread for each element of its result. Cheap maps are inlined
// into their readers. A reduction whose only reader is a map over the same elements (bias,
// activation) is computed in registers of the reader's threads. Of products and convolutions whose
// result is large enough, a thread computes a tile (thread_tile.h). No shared memory is used, so
// they run below the machine's peak: write a schedule for those that matter. Like all default
// schedules it depends on the program, the machine and the configuration only. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "target/machine.h"
#include "topi/config.h"

namespace lathe::topi::gpu {

// Does the machine have the axes that ScheduleForThreads binds loops to?
bool HasThreads(const target::Machine& machine);

// Why no such schedule exists for a program: it contains a scan or statements written by hand,
// which are sequential. "" if one exists.
std::string WhyNoThreads(const std::vector<ir::Op>& outputs);

// Makes a schedule for all operations that `outputs` need. Stages for which there is none stay
// plain loops, which lowering for such a target refuses (`unbound-device-loop`). Throws what
// CreateSchedule throws, and what Config::Ask does. It asks for the knobs threads.*; each has one
// value for all stages.
schedule::Schedule ScheduleForThreads(std::vector<ir::Op> outputs, const target::Machine& machine,
                                      Config& config);

}  // namespace lathe::topi::gpu
