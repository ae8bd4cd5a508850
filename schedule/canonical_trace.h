// Traces in canonical names (te/canonical.h): what is recorded for one program is replayed on
// another one that differs in names alone.
//
// Steps name stages and axes, and primitives derive further names from those (`C.local`,
// `i.outer`). Both programs' schedules are made side by side, step by step; a step's names are
// looked up in the one and replaced by the names that the same stages and axes have in the other.
// So whatever a primitive calls what it makes is translated.
//
// Names of groups, intrinsics and threads are no program's own and stay. An intrinsic that a step
// holds itself takes its canonical form. Pure functions; thread-safe. They throw what Replay throws
// where a step does not apply.
#pragma once

#include <vector>

#include "schedule/trace.h"

namespace lathe::schedule {

// The canonical form of the program, with its trace in the names of that: what to keep of a
// schedule. EncodeNode gives equal bytes for programs and traces that differ in names alone.
Program CanonicalWithTrace(const Program& program);

// The trace of `canonical`, which CanonicalWithTrace gave for an equal program, in the names of
// `program`, whose own trace plays no part. Throws Error "trace-of-another-program".
ir::List<ir::StepNode> TraceFor(const Program& program, const Program& canonical);

}  // namespace lathe::schedule
