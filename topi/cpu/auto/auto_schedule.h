// The scheduler: makes schedules for programs that have none.
//
//   Scheduled made = ScheduleProgram({c->op}, machine);
//
// Operators that topi knows (topi/anchor.h) get their templates (topi/cpu/templates.h) if those
// fit, together with the elementwise operations around them. All other stages are scheduled by
// their pattern (pattern.h). Cheap maps are inlined into their readers. Stages that work on the
// same rows are computed row by row, while the row is in a near cache. Reductions run in vectors.
// Products and convolutions run in register tiles, and the operand that all rows share is copied
// into panels if it would be read with long strides. Threads share the large loops.
//
// The scheduler uses public primitives only, so its trace can be printed, parsed and replayed like
// any other. The schedule depends only on the program, the machine's description and the
// configuration. Sums are added in another order than the program writes, so they may round
// differently. Symbolic extents are assumed to be large.
#pragma once

#include <vector>

#include "schedule/schedule.h"
#include "target/machine.h"
#include "topi/scheduled.h"

namespace lathe::topi::cpu {

// Makes a schedule for all operations that `outputs` need. `config` answers the knobs that
// templates and patterns ask for. Throws what CreateSchedule and Config throw.
Scheduled ScheduleProgram(std::vector<ir::Op> outputs, const target::Machine& machine,
                          Config config = {});

// The same by patterns alone, without templates. Operators whose templates do not fit get this
// schedule, and templates are measured against it.
schedule::Schedule AutoSchedule(std::vector<ir::Op> outputs, const target::Machine& machine);

}  // namespace lathe::topi::cpu
