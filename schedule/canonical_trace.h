// Traces in canonical names (te/canonical.h): a trace recorded for one program can be replayed on a
// program that differs only in names.
//
// Steps name stages and axes, and primitives derive further names from these (`C.local`,
// `i.outer`). The schedules of both programs are made side by side, step by step. Each name in a
// step is looked up in the one and replaced by the name of the corresponding stage or axis in the
// other. So the names that primitives make are translated, too.
//
// Names of groups, intrinsics and threads do not belong to a program and stay. An intrinsic that is
// contained in a step takes its canonical form. Pure functions; thread-safe. They throw the errors
// of Replay if a step does not apply.
#pragma once

#include <vector>

#include "schedule/trace.h"

namespace lathe::schedule {

// The canonical form of the program, with its trace in canonical names: the form in which to store
// a schedule. EncodeNode gives equal bytes for programs and traces that differ only in names.
Program CanonicalWithTrace(const Program& program);

// The trace of `canonical`, which CanonicalWithTrace made from an equal program, in the names of
// `program` (whose own trace is ignored). Throws Error "trace-of-another-program".
ir::List<ir::StepNode> TraceFor(const Program& program, const Program& canonical);

}  // namespace lathe::schedule
