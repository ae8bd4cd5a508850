// Where the kernels of graphs that Python builds get their schedules.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/build.h"
#include "runtime/value.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace lathe::python {

// For GraphBuildOptions::schedule_of. The parts: [records...], choose or None, note, and whether
// records that come with Lathe are used.
//
// The first record of a kernel that is found gives its schedule. If there is none that applies,
// `choose(name, workload, target)` gives the values of its knobs, [[knob, value]...], or None; it
// is not asked for kernels without knobs. Then come the records that come with Lathe, and at last
// the default schedule. `note(text, is_problem)` hears which kernels have a schedule that is not
// the default one, and what does not apply (any more).
std::function<std::optional<schedule::Schedule>(const graph::KernelProgram& kernel,
                                                const target::Target& target)>
ScheduleOfKernel(const std::vector<runtime::Value>& parts);

}  // namespace lathe::python
