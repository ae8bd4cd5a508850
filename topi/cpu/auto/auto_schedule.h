// The scheduler: schedules for programs that come without one.
//
//   Scheduled made = ScheduleProgram({c->op}, machine);
//
// Operators that topi knows (topi/anchor.h) go to their templates (topi/cpu/templates.h), with what
// is elementwise around them, where those fit. All else goes by what each stage is (pattern.h):
// cheap maps disappear into what reads them; stages that work on the same rows are computed row by
// row while the row is near; reductions run in vectors, products and convolutions in register
// tiles, with the shared operand copied into panels where it is read with long strides; large loops
// are shared by threads.
//
// Public primitives alone: the trace prints, parses and replays like any other. It depends on the
// program, the machine's description and the configuration, on nothing else. Sums round in another
// order than one by one. Symbolic extents are taken for large ones.
#pragma once

#include <vector>

#include "schedule/schedule.h"
#include "target/machine.h"
#include "topi/scheduled.h"

namespace lathe::topi::cpu {

// A schedule for all that `outputs` need. `config` answers what templates ask. Throws what
// CreateSchedule and Config throw.
Scheduled ScheduleProgram(std::vector<ir::Op> outputs, const target::Machine& machine,
                          Config config = {});

// The same by patterns alone: what operators get whose templates do not fit, and what those are
// measured against.
schedule::Schedule AutoSchedule(std::vector<ir::Op> outputs, const target::Machine& machine);

}  // namespace lathe::topi::cpu
