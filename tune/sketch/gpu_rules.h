// Schedules for devices with threads in blocks that share memory.
#pragma once

#include "schedule/schedule.h"
#include "target/machine.h"
#include "tune/sketch/choices.h"
#include "tune/sketch/parts.h"

namespace lathe::tune::sketch {

// The schedule that the choices say. All parts must be computations with constant extents. Throws
// what the primitives throw. Thread-safe.
schedule::Schedule ScheduleForThreads(const Parts& parts, const target::Machine& machine,
                                      Choices& choices);

}  // namespace lathe::tune::sketch
