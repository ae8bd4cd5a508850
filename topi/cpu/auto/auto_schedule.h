// Schedules for programs that come without one.
//
//   Schedule s = AutoSchedule({c->op}, machine);
//
// What each stage is decides (pattern.h): cheap maps disappear into what reads them; stages that
// work on the same rows are computed row by row while the row is near; reductions run in vectors,
// products and convolutions in register tiles, with the shared operand copied into panels where it
// is read with long strides; large loops are shared by threads. What comes of it is within a small
// factor of the templates of topi/cpu, which know their one program better (docs/performance.md).
//
// Public primitives alone: the trace prints, parses and replays like any other. It depends on the
// program and the machine's description, on nothing else. Sums round in another order than one by
// one. Symbolic extents are taken for large ones.
#pragma once

#include <vector>

#include "schedule/schedule.h"
#include "target/machine.h"

namespace lathe::topi::cpu {

// A schedule for all that `outputs` need. Throws what CreateSchedule throws.
schedule::Schedule AutoSchedule(std::vector<ir::Op> outputs, const target::Machine& machine);

}  // namespace lathe::topi::cpu
