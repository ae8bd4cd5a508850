// The single entry point for schedules: templates for operators that they fit, else the default
// schedule.
//
//   const te::Tensor c = ops::Matmul(a, b), d = ...;  // bias, clipping
//   const Scheduled made = Schedule({d->op}, canonical_target);
//
// Each operator that topi knows (topi/ops, topi/anchor.h) is scheduled by the first template that
// fits, together with the elementwise operations that read it. All other operations, and operators
// that no template fits, get the default schedule of the target's kind. Schedules depend on the
// program, the target and the configuration only. Thread-safe. See docs/design/operators.md.
#pragma once

#include <vector>

#include "target/target.h"
#include "topi/scheduled.h"

namespace lathe::topi {

// Makes a schedule for all operations that `outputs` need. `target` must be canonical
// (target/canonical.h). Targets with threads get a thread for each element (topi/gpu), all others
// without the key `cpu` plain loops. Throws what CreateSchedule throws, and Error "topi-knob-range"
// and "topi-unknown-knob" (Config).
Scheduled Schedule(std::vector<ir::Op> outputs, const target::Target& target, Config config = {});

}  // namespace lathe::topi
