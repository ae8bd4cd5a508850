// The one door to schedules: templates where they fit, else the default schedule.
//
//   const te::Tensor c = ops::Matmul(a, b), d = ...;  // bias, clipping
//   const Scheduled made = Schedule({d->op}, canonical_target);
//
// Each operator that topi knows (topi/ops, topi/anchor.h) goes to the first template that fits,
// with the elementwise operations that read it; everything else, and operators that no template
// fits, get the default schedule of the target's kind. Pure functions of program, target and
// configuration; thread-safe. docs/design/operators.md.
#pragma once

#include <vector>

#include "target/target.h"
#include "topi/scheduled.h"

namespace lathe::topi {

// A schedule for all that `outputs` need. `target` is canonical (target/canonical.h). Targets
// without the key `cpu` get plain loops. Throws what CreateSchedule throws, and Error
// "topi-knob-range" and "topi-unknown-knob" (Config).
Scheduled Schedule(std::vector<ir::Op> outputs, const target::Target& target, Config config = {});

}  // namespace lathe::topi
