// Schedules for processors with caches and vectors.
#pragma once

#include "schedule/schedule.h"
#include "target/machine.h"
#include "tune/sketch/choices.h"
#include "tune/sketch/parts.h"

namespace lathe::tune::sketch {

// The schedule that the choices say. Throws what the primitives throw. Thread-safe.
schedule::Schedule ScheduleForCaches(const Parts& parts, const target::Machine& machine,
                                     Choices& choices);

}  // namespace lathe::tune::sketch
